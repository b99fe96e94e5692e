"""A real server that speaks TLS, with certificates made for the test."""

from certificates import Authority
from server import Server, free_port


class TlsServer:
    """A real server with a TLS port beside its plain one."""

    def __init__(self, folder, **more):
        self.authority = Authority(folder)
        certificate, key = self.authority.issue("db.example", "DNS:db.example,IP:127.0.0.1")
        self.client_certificate, self.client_key = self.authority.issue("client", "DNS:client")
        self.port = free_port()
        self.server = Server(tls_port=self.port, tls_cert_file=certificate, tls_key_file=key,
                             tls_ca_cert_file=self.authority.certificate, **more)
