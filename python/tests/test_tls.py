"""TLS: trust, both directions at once, ends, and a server of Java."""

import shutil
import ssl
import subprocess
import time

import pytest

import millrace

from .flink import JobManager
from .peer import BYE, TOKEN, expected
from .server import Server
from .test_failures import close_during_a_wait
from .test_loader import check


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Returns the paths of a certificate for localhost, and of its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("the program openssl makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2"
    options += " -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([openssl, *options.split()], cwd=folder, check=True, capture_output=True)
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def context(certificate):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(*certificate)
    return made


def at(server):
    """Returns the address with the name in the certificate."""
    return server.address.replace("127.0.0.1", "localhost")


def test_batches_arrive_over_tls_in_both_directions_at_once(peer, context, certificate):
    server = peer(tcp=True, tls=context, steps=60, shape=(200, 300, 3), only=("image", "label"))
    with millrace.Loader(at(server), tls=certificate[0], token=TOKEN) as loader:
        for step, batch in enumerate(loader):
            assert (batch["image"] == expected(step, 4, (200, 300, 3))["image"]).all()
        assert step == 59 and loader.stats()["memory"]["kind"] == "inline"
    server.wait_for(lambda: server.of(BYE))


def test_a_connection_over_tls_that_is_lost_is_made_again(peer, context, certificate):
    server = peer(lambda c: c.serve(until=5 if c.number == 0 else None), tcp=True, tls=context)
    with millrace.Loader(at(server), tls=str(certificate[0]), timeout=120) as loader:
        for batch in loader:
            check(batch, batch.step)
        assert loader.step == 10 and loader.stats()["reconnects"] == 1


def test_a_server_that_is_not_trusted_is_refused_at_once(peer, context, certificate):
    server = peer(tcp=True, tls=context)
    began = time.monotonic()
    with pytest.raises(millrace.ConnectionLost, match="certificate is not accepted: self.signed certificate.*tls='ca.pem'"):
        millrace.Loader(at(server), tls=True)
    with pytest.raises(millrace.ConnectionLost, match="certificate is not accepted.*127.0.0.1"):
        millrace.Loader(server.address, tls=certificate[0])
    with pytest.raises(millrace.ConnectionLost, match="TLS failed, perhaps because the server does not use it"):
        millrace.Loader(at(peer(lambda c: c.send(b"hello, this is no TLS"), tcp=True)), tls=certificate[0])
    assert time.monotonic() - began < 10 and not server.received


def test_a_client_without_tls_learns_that_it_is_needed(peer, context):
    server = peer(tcp=True, tls=context)
    sentence = r"^no connection to 127.0.0.1:[0-9]+: the server at .* requires TLS: pass tls=True, or tls='ca.pem'$"
    with pytest.raises(millrace.ConnectionLost, match=sentence):
        millrace.Loader(server.address)


def test_certificates_that_cannot_be_read_are_refused(tmp_path):
    (tmp_path / "empty.pem").write_text("")
    for path in (tmp_path / "none.pem", tmp_path / "empty.pem"):
        with pytest.raises(ValueError, match="tls is '.*', expected True or a file of certificates in PEM format"):
            millrace.Loader("localhost:1", tls=path)


def test_unix_sockets_and_https_of_the_job_manager(peer, context, certificate):
    server = peer()
    with JobManager(context) as manager:
        manager.add(addresses={"0": [server.address]})
        with millrace.Loader(manager.url, tls=certificate[0]) as loader:
            check(next(loader), 0)
            assert loader.stats()["memory"]["kind"] == "memfd"
        with pytest.raises(millrace.ConnectionLost, match="certificate"):
            millrace.Loader(manager.url, tls=True)


def test_close_over_tls_ends_a_wait_and_says_goodbye(peer, context, certificate):
    close_during_a_wait(peer, lambda server: millrace.Loader(at(server), tls=certificate[0]), tcp=True, tls=context)


def test_a_server_of_java_with_a_certificate_of_keytool(tmp_path, server):
    keytool = shutil.which("keytool")
    if keytool is None:
        pytest.skip("keytool makes the certificate")
    keys, pem = tmp_path / "keys.p12", tmp_path / "cert.pem"
    store = ["-alias", "server", "-storetype", "PKCS12", "-storepass", "a-password", "-keystore", str(keys)]
    name = ["-dname", "CN=localhost", "-ext", "SAN=dns:localhost"]
    subprocess.run([keytool, "-genkeypair", "-keyalg", "EC", *name, *store], check=True, capture_output=True)
    subprocess.run([keytool, "-exportcert", "-rfc", "-file", str(pem), *store], check=True, capture_output=True)
    options = []
    for key, value in [("keystore", keys), ("keystore-password", "a-password"), ("key-password", "a-password")]:
        options += ["--set", f"flink.security.ssl.rest.{key}={value}"]
    secure = Server(tmp_path, *options, listen="0.0.0.0:0")
    try:
        address = "localhost:" + secure.tcp.rpartition(":")[2]
        with millrace.Loader(address, tls=pem, token=tmp_path / "ready.json", timeout=120) as loader:
            assert [next(loader).step for _ in range(20)] == list(range(20))
        with pytest.raises(millrace.ConnectionLost, match="requires TLS: pass tls="):
            millrace.Loader(address, token=secure.token, timeout=120)
        with pytest.raises(millrace.ServerError, match="token"):
            millrace.Loader(address, tls=pem, token="00" * 16, timeout=120)
    finally:
        secure.stop()
