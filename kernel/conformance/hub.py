"""Tries the kernel behind JupyterHub with the local spawner, behind a kernel gateway, and behind a Jupyter server that has its
kernels from a gateway.

    python3 kernel/conformance/hub.py --binary bin/gosphere

Each runs a cell over the websocket of a browser. Stopping a server must end its kernels.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

import tornado.httpclient
import tornado.websocket

TOKEN = secrets.token_hex(16)
HUB = """
c.JupyterHub.bind_url = "http://127.0.0.1:{public}"
c.JupyterHub.hub_port = {inner}
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.ConfigurableHTTPProxy.auth_token = {token!r}
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.Spawner.args = ["--allow-root"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
c.Spawner.environment = {environment!r}
c.JupyterHub.services = [{{"name": "try", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [{{"name": "try", "services": ["try"], "scopes": ["admin:users", "admin:servers", "access:servers"]}}]
"""


def free_port():
    """Return a port that nobody listens on."""
    with contextlib.closing(socket.socket()) as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def ask(url, method="GET", body=None):
    """Send a request with the token and return the JSON of the answer, None where there is none."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=240) as answer:
        text = answer.read()
    return json.loads(text) if text.strip() else None


def wait(what, done, seconds=400):
    """Wait until a function returns something true, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
            if value := done():
                return value
        time.sleep(0.3)
    raise SystemExit(f"{what}: nothing after {seconds} s")


async def run_cell(server, kernel, code):
    """Run a cell over a kernel's websocket; return the value and the text that it shows."""
    url = f"{server.replace('http', 'ws', 1)}/api/kernels/{kernel}/channels?token={TOKEN}"
    client = await tornado.websocket.websocket_connect(tornado.httpclient.HTTPRequest(url, headers={"Authorization": f"token {TOKEN}"}))
    header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "version": "5.3", "session": uuid.uuid4().hex, "username": "", "date": ""}
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    await client.write_message(json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}))
    shown = ""
    while True:
        text = await asyncio.wait_for(client.read_message(), 240)
        assert text is not None, "the websocket was closed"
        message = json.loads(text)
        if message["parent_header"].get("msg_id") != header["msg_id"]:
            continue
        content = message["content"]
        if message["msg_type"] == "stream":
            shown += content["text"]
        elif message["msg_type"] == "execute_result":
            shown += content["data"]["text/plain"]
        elif message["msg_type"] == "error":
            raise AssertionError("\n".join(content["traceback"]))
        elif message["msg_type"] == "status" and content["execution_state"] == "idle":
            client.close()
            return shown


def try_kernel(server):
    """Start the kernel by the REST API of a server and run cells; return the id of its process."""
    assert "gosphere" in ask(f"{server}/api/kernelspecs")["kernelspecs"]
    kernel = ask(f"{server}/api/kernels", "POST", {"name": "gosphere"})["id"]
    shown = asyncio.run(run_cell(server, kernel, "x := []float64{1, 2, 4, 8}; stat.Mean(x, nil)"))
    assert shown == "3.75", shown
    process = int(asyncio.run(run_cell(server, kernel, "fmt.Print(os.Getpid())")))
    assert alive(process)
    return process


def alive(process):
    """Report whether a process runs."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def started(work, name, command, environment):
    """Run a server; at the end stop it. Its log is shown where something fails."""
    log = work / f"{name}.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(command, cwd=work, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield process
    except BaseException:
        print(log.read_text()[-4000:])
        raise
    finally:
        process.terminate()
        process.wait(60)


def try_hub(work, environment):
    """JupyterHub: a user's server is started, runs cells, and takes its kernels along when it is stopped."""
    public = free_port()
    proxy = pathlib.Path(sys.executable).parent / "configurable-http-proxy"
    passed = {name: environment[name] for name in ("JUPYTER_PATH", "GOSPHERE_HISTORY")}
    config = work / "jupyterhub_config.py"
    config.write_text(HUB.format(public=public, inner=free_port(), api=free_port(), proxy=str(proxy), token=TOKEN, environment=passed))
    with started(work, "hub", [sys.executable, "-m", "jupyterhub", "--config", config], environment):
        hub = f"http://127.0.0.1:{public}/hub/api"
        wait("JupyterHub", lambda: ask(f"{hub}/"))
        ask(f"{hub}/users/ada", "POST")
        ask(f"{hub}/users/ada/server", "POST", {})
        wait("the user's server", lambda: ask(f"{hub}/users/ada")["servers"].get("", {}).get("ready"))
        process = try_kernel(f"http://127.0.0.1:{public}/user/ada")
        ask(f"{hub}/users/ada/server", "DELETE")
        wait("the end of the kernel", lambda: not alive(process), 120)
    print("JupyterHub with the local spawner: cells run, and no kernel is left")


def try_gateway(work, environment):
    """A kernel gateway, and a Jupyter server that has its kernels from it."""
    port, second = free_port(), free_port()
    gateway = [sys.executable, "-m", "kernel_gateway", f"--KernelGatewayApp.port={port}", f"--KernelGatewayApp.auth_token={TOKEN}",
               "--KernelGatewayApp.ip=127.0.0.1"]
    server = [sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser", f"--ServerApp.port={second}", "--ServerApp.ip=127.0.0.1",
              f"--IdentityProvider.token={TOKEN}", f"--GatewayClient.url=http://127.0.0.1:{port}", f"--GatewayClient.auth_token={TOKEN}"]
    with started(work, "gateway", gateway, environment):
        wait("the gateway", lambda: ask(f"http://127.0.0.1:{port}/api"))
        process = try_kernel(f"http://127.0.0.1:{port}")
        with started(work, "server", server, environment):
            wait("the server", lambda: ask(f"http://127.0.0.1:{second}/api"))
            try_kernel(f"http://127.0.0.1:{second}")
    wait("the end of the kernel", lambda: not alive(process), 120)
    print("kernel gateway, and a Jupyter server in front of it: cells run, and no kernel is left")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=lambda name: pathlib.Path(name).resolve(), required=True)
    args = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp(prefix="hub-"))
    try:
        subprocess.run([args.binary, "install", "--prefix", work / "prefix"], check=True, stdout=subprocess.DEVNULL)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "GOSPHERE"))} | {
            "HOME": str(work), "JUPYTER_PATH": str(work / "prefix" / "share" / "jupyter"), "GOSPHERE_HISTORY": str(work / "history.sqlite"),
            "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
        try_gateway(work, environment)
        try_hub(work, environment)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
