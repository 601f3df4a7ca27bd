"""Whether anybody gave us credentials for a store.

Without any, the library would ask the cloud's metadata address on the network, and wait for it where there is none.
So that is asked for only by who names it: each list ends with the variable that does.
"""

import os
from collections.abc import Mapping

from holdfast.exchange.object_store import NotLetIn

KNOWN = {
    "s3": (
        "AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_SKIP_SIGNATURE", "AWS_METADATA_ENDPOINT",
    ),
    "gs": (
        "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_PATH",
        "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_BEARER_TOKEN", "GOOGLE_SKIP_SIGNATURE", "GCE_METADATA_HOST",
    ),
    "az": (
        "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ACCESS_KEY", "AZURE_STORAGE_MASTER_KEY", "AZURE_STORAGE_SAS_KEY",
        "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_TOKEN", "AZURE_CLIENT_SECRET", "AZURE_STORAGE_CLIENT_SECRET",
        "AZURE_FEDERATED_TOKEN_FILE", "AZURE_USE_AZURE_CLI", "AZURE_STORAGE_USE_EMULATOR", "AZURE_SKIP_SIGNATURE",
        "AZURE_CREDENTIAL_TYPE", "AZURE_MSI_ENDPOINT", "AZURE_IDENTITY_ENDPOINT",
    ),
}  # fmt: skip
GOOGLE_FILE = os.path.join(".config", "gcloud", "application_default_credentials.json")


class NoCredentials(NotLetIn):
    """Nobody said who we are."""

    def __init__(self, url: str, scheme: str) -> None:
        names = KNOWN[scheme]
        super().__init__(url, "there are no credentials")
        self.hint = f"set {names[0]} and what goes with it; {names[-1]} where the machine itself is let in."


def require_credentials(url: str, environment: Mapping[str, str]) -> None:
    """Raise NoCredentials where none are given."""
    scheme = url.partition("://")[0]
    if scheme not in KNOWN or any(environment.get(name) for name in KNOWN[scheme]):
        return
    if scheme == "gs" and os.path.exists(os.path.join(environment.get("HOME", ""), GOOGLE_FILE)):
        return
    raise NoCredentials(url, scheme)
