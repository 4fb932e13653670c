"""Signatures of statements: envelopes (DSSE), SSH keys, sigstore, time stamps. Knows nothing of archives.

No cryptography is written here: ssh-keygen, sigstore and rfc3161-client sign and check.
"""
