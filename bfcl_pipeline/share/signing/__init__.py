"""Signatures of statements: envelopes (DSSE), SSH keys, sigstore. Knows nothing of archives.

No cryptography is written here: ssh-keygen and sigstore sign and check.
"""
