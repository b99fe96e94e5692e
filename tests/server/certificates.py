"""Certificates for tests of TLS, made by openssl, with all extensions that strict clients want (Python 3.13)."""

import subprocess


class Authority:
    """A certification authority of its own, in a folder."""

    def __init__(self, folder, name="ca"):
        self._folder = folder
        self.certificate, self._key = folder / f"{name}.pem", folder / f"{name}.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                      "-addext", "keyUsage=critical,keyCertSign", "-subj", f"/CN={name}", "-keyout", self._key,
                      "-out", self.certificate)

    def issue(self, name, alternatives):
        """A certificate for these alternative names ("DNS:db1,IP:127.0.0.1"), and its key."""
        certificate, key, request, extensions = (self._folder / f"{name}.{end}" for end in ("pem", "key", "csr", "ext"))
        extensions.write_text(f"subjectAltName={alternatives}\nauthorityKeyIdentifier=keyid\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
                      "-keyout", key, "-out", request)
        self._openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
                      "-days", "2", "-extfile", extensions, "-out", certificate)
        return certificate, key

    def _openssl(self, *words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
