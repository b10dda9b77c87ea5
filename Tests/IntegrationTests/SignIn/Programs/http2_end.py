"""An HTTP/2 server that ends TLS instead of responding, and leaves the TCP connection open until the client ends it.

The first connection ends at once, the second after a GOAWAY, and the third after the head of a response.
"""

import os
import ssl
import subprocess
import sys

from serving import announce, end_with_standard_input, listening_socket

GOAWAY = b"\0\0\x08\x07\0\0\0\0\0" + b"\0\0\0\x01" + b"\0\0\0\0"
HEAD = b"\0\0\x01\x01\x04\0\0\0\x01" + b"\x88"
SETTINGS = b"\0\0\0\x04\0\0\0\0\0"


def certificate(directory):
    files = [os.path.join(directory, name) for name in ("ca.pem", "key.pem")]
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    subprocess.run([*words.split(), "-out", files[0], "-keyout", files[1]], check=True)
    return files


def read(client, count):
    data = b""
    while len(data) < count:
        more = client.recv(count - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data


def serve(client, answer):
    read(client, 24)
    client.sendall(SETTINGS)
    # The head of the request, and the acknowledgement of the settings.
    missing = {(1, False), (4, True)}
    while missing:
        header = read(client, 9)
        missing.discard((header[3], header[3] == 4 and header[4] == 1))
        read(client, int.from_bytes(header[:3], "big"))
    client.sendall(answer)
    # Sends close_notify, and then waits for that of the client.
    client.unwrap()


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(sys.argv[1]))
    context.set_alpn_protocols(["h2"])
    end_with_standard_input(sys.argv[1])
    listener = listening_socket()
    announce(listener.getsockname()[1])
    for answer in (b"", GOAWAY, HEAD):
        try:
            with context.wrap_socket(listener.accept()[0], server_side=True) as client:
                serve(client, answer)
        except OSError:
            pass


main()
