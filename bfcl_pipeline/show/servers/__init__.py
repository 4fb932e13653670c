"""What a server of open weights costs: the score that a perfect model reaches through it, and blame."""
