"""No test reaches a network: connections and look-ups beyond this machine fail at once, as on a machine without one."""

from __future__ import annotations

import errno
import ipaddress
import socket
from typing import Any


def _is_local(host: Any) -> bool:
    if host in (None, "", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        return False


def switch_off_network() -> None:
    """Replace the two ways out of a Python process for the rest of its life; unix sockets and loopback stay."""
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(address[0]):
            raise OSError(errno.ENETUNREACH, f"tests have no network, {address[0]} was wanted")
        connect(self, address)

    def guarded_look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_local(host):
            raise socket.gaierror(socket.EAI_NONAME, f"tests have no network, {host} was wanted")
        return look_up(host, *args, **kwargs)

    socket.socket.connect = guarded_connect  # type: ignore[method-assign]
    socket.getaddrinfo = guarded_look_up
