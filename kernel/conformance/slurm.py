"""A cluster of Slurm on this machine alone, for check_slurm of run.py.

It wants to be root, and the Debian packages slurm-wlm and munge. All its files but munge's own are in one folder, and its
daemons are ended by their ids.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

TOOLS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo"]
MUNGE = {"/etc/munge": 0o700, "/run/munge": 0o755, "/var/log/munge": 0o700, "/var/lib/munge": 0o711}


def missing_tools():
    """Returns why there can be no cluster, or an empty text."""
    lacking = [tool for tool in TOOLS if not shutil.which(tool)]
    if lacking:
        return f"there is no {', '.join(lacking)}; apt-get install --no-install-recommends slurm-wlm munge brings them"
    return "" if os.geteuid() == 0 else "only root can start a cluster"


class Cluster:
    """One node with two processors."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.munge = None

    def __enter__(self):
        self.folder.mkdir(parents=True)
        self._start_munge()
        host = socket.gethostname().split(".")[0]
        settings = {
            "ClusterName": "conformance", "SlurmctldHost": f"{host}(127.0.0.1)", "AuthType": "auth/munge", "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none", "SlurmUser": "root", "SlurmdUser": "root", "SelectType": "select/cons_tres", "ReturnToService": "2",
            "StateSaveLocation": self.folder / "state", "SlurmdSpoolDir": self.folder / "spool", "SlurmctldPidFile": self.folder / "slurmctld.pid",
            "SlurmdPidFile": self.folder / "slurmd.pid", "SlurmctldLogFile": self.folder / "slurmctld.log", "SlurmdLogFile": self.folder / "slurmd.log",
        }
        lines = [f"{name}={value}" for name, value in settings.items()]
        lines += [f"NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN", f"PartitionName=main Nodes={host} Default=YES State=UP"]
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        for name in ("state", "spool", "out"):
            (self.folder / name).mkdir()
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self._run("slurmctld")
        self._run("slurmd")
        self._until(lambda: "idle" in self._run("sinfo", "--noheader", "--format=%t"), "the node is not idle")
        return self

    def _start_munge(self):
        for place, mode in MUNGE.items():
            pathlib.Path(place).mkdir(mode=mode, exist_ok=True)
            shutil.chown(place, "munge", "munge")
            os.chmod(place, mode)
        key = pathlib.Path("/etc/munge/munge.key")
        if not key.exists():
            key.write_bytes(os.urandom(1024))
            shutil.chown(key, "munge", "munge")
            key.chmod(0o400)
        if subprocess.run(["munge", "-n"], capture_output=True).returncode != 0:
            account = __import__("pwd").getpwnam("munge")
            self.munge = subprocess.Popen(["munged", "--foreground", "--force"], user=account.pw_uid, group=account.pw_gid,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self._until(lambda: subprocess.run(["munge", "-n"], capture_output=True).returncode == 0, "munge does not answer")

    def __exit__(self, *_):
        subprocess.run(["scancel", "--user=root"], env=self.environment, check=False)
        for name in ("slurmd", "slurmctld"):
            try:
                os.kill(int((self.folder / f"{name}.pid").read_text()), signal.SIGTERM)
            except (OSError, ValueError):
                pass
        time.sleep(1)
        if self.munge:
            self.munge.terminate()
            self.munge.wait()

    def _run(self, *command):
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def _until(self, ready, failure, seconds=300):
        end = time.monotonic() + seconds
        while not ready():
            assert time.monotonic() < end, f"{failure}: {[path.read_text()[-600:] for path in self.folder.glob('*.log')]}"
            time.sleep(0.1)

    def array(self, tasks, command, kill=None):
        """Submits an array, kills one of its tasks as soon as that runs, and waits for the others."""
        job = self._run("sbatch", "--parsable", f"--array={tasks}", f"--output={self.folder}/out/%a.txt", "--wrap", command).strip()
        state = lambda task: self._run("squeue", "--noheader", "--array", f"--jobs={job}", "--format=%K %t")
        if kill is not None:
            self._until(lambda: f"{kill} R" in state(kill), f"task {kill} does not run")
            self._run("scancel", "--signal=KILL", "--full", f"{job}_{kill}")
        self._until(lambda: not self._run("squeue", "--noheader", "--user=root").strip(), "the queue does not empty")
