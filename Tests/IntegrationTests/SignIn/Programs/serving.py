"""What the server programs have in common: the port that they print, and their end with the process that started them."""

import os
import shutil
import socket
import sys
import threading


def listening_socket():
    """A socket on a free port of 127.0.0.1; connections wait in it until the server accepts them."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    return listener


def end_with_standard_input(directory):
    """Ends this process when its standard input ends, which it does when the starting process ends in any way.

    The directory, which this process has to itself, goes with it.
    """

    def wait():
        while os.read(0, 4096):
            pass
        shutil.rmtree(directory, ignore_errors=True)
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def announce(port):
    """Prints the port as the only line on standard output."""
    print(f"port {port}", flush=True)
    # Whatever a library prints later goes to the log.
    os.dup2(2, 1)


def serve_wsgi(directory, make_app):
    """Serves the WSGI application that `make_app` returns for the server's URL and the directory."""
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True

        # It would look up the host's name.
        def server_bind(self):
            pass

    class Handler(WSGIRequestHandler):
        def log_message(self, format, *values):
            print(format % values, file=sys.stderr, flush=True)

    end_with_standard_input(directory)
    listener = listening_socket()
    port = listener.getsockname()[1]
    server = Server(("127.0.0.1", port), Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = "127.0.0.1", port
    server.setup_environ()
    server.set_app(make_app(f"http://127.0.0.1:{port}", directory))
    announce(port)
    server.serve_forever()
