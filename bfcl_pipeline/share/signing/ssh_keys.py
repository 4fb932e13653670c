"""SSH keys as signers and keys of securesystemslib, the library of the envelopes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from securesystemslib.exceptions import UnverifiedSignatureError
from securesystemslib.signer import Key, SecretsHandler, Signature, Signer

from bfcl_pipeline.base.errors import BadSignature
from bfcl_pipeline.share.signing import ssh_keygen

KEY_TYPE = "ssh"


class SshKey(Key):
    """The public part of an SSH key: only its fingerprint, which is the id of the key."""

    def __init__(self, fingerprint: str) -> None:
        super().__init__(fingerprint, KEY_TYPE, KEY_TYPE, {})

    @classmethod
    def from_dict(cls, keyid: str, key_dict: dict[str, Any]) -> SshKey:  # noqa: ARG003
        """The key with a fingerprint."""
        return cls(keyid)

    def to_dict(self) -> dict[str, Any]:
        """Its type; the fingerprint is its id."""
        return {"keytype": self.keytype, "scheme": self.scheme, "keyval": self.keyval}

    def verify_signature(self, signature: Signature, data: bytes) -> None:
        """Raises UnverifiedSignatureError, or NotCheckable without a usable ssh-keygen."""
        try:
            made_by = ssh_keygen.signing_key(data, bytes.fromhex(signature.signature))
        except BadSignature as error:
            raise UnverifiedSignatureError(str(error)) from error
        if made_by != self.keyid:
            raise UnverifiedSignatureError(f"made by the key {made_by}, not by {self.keyid}")


class SshSigner(Signer):
    """Signs with an SSH key, by ssh-keygen."""

    def __init__(self, key: Path) -> None:
        self.path = key
        self._public: SshKey | None = None

    @classmethod
    def from_priv_key_uri(
        cls,
        priv_key_uri: str,
        public_key: Key,  # noqa: ARG003
        secrets_handler: SecretsHandler | None = None,  # noqa: ARG003
    ) -> SshSigner:
        """The signer with the key at a path."""
        return cls(Path(priv_key_uri.removeprefix("file:")))

    @property
    def public_key(self) -> SshKey:
        """Known once something was signed."""
        if self._public is None:
            raise ValueError("no signature was made with this key yet")
        return self._public

    def sign(self, payload: bytes) -> Signature:
        """Raises SigningError. The signature is checked, which also yields the fingerprint."""
        made = ssh_keygen.sign(payload, self.path)
        self._public = SshKey(ssh_keygen.signing_key(payload, made))
        return Signature(self._public.keyid, made.hex())
