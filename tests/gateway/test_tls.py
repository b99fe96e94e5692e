"""TLS of the gateway's own."""

import http.client
import signal
import socket
import ssl
import subprocess

from gateway import Gateway
from server import DEADLINE, wait_until


def make_certificate(folder, name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem",
                    "-out", folder / "certificate.pem"], check=True, capture_output=True)


def name_shown(gateway, folder):
    context = ssl.create_default_context(cafile=folder / "certificate.pem")
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=DEADLINE) as raw:
        with context.wrap_socket(raw, server_hostname="127.0.0.1") as secure:
            return dict(pair for part in secure.getpeercert()["subject"] for pair in part)["commonName"]


def test_a_certificate_is_loaded_again_without_an_end_of_open_connections(server, tmp_path):
    make_certificate(tmp_path, "first")
    words = ("--set", f"tls.certificate={tmp_path}/certificate.pem", "--set", f"tls.key={tmp_path}/key.pem")
    with Gateway(server, *words) as gateway:
        assert name_shown(gateway, tmp_path) == "first"
        context = ssl.create_default_context(cafile=tmp_path / "certificate.pem")
        old = http.client.HTTPSConnection("127.0.0.1", gateway.port, context=context, timeout=DEADLINE)
        old.request("GET", "/probe/liveness")
        assert old.getresponse().read()
        make_certificate(tmp_path, "second")
        gateway.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "loaded the certificate again" in gateway.output(), "it is loaded")
        assert name_shown(gateway, tmp_path) == "second"
        old.request("GET", "/probe/liveness")
        assert old.getresponse().status == 200
        (tmp_path / "certificate.pem").rename(tmp_path / "kept.pem")
        gateway.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the old one stays" in gateway.output(), "it says so")
        (tmp_path / "kept.pem").rename(tmp_path / "certificate.pem")
        assert name_shown(gateway, tmp_path) == "second"
