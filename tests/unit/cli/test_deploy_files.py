"""examples/deploy and the commands of docs/sources.md name commands, options, settings and extras that there are."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from viva.cli.main import GROUPS, app
from viva.core.settings import Settings

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "examples/deploy"
COMPOSE = yaml.safe_load((DEPLOY / "docker-compose.yml").read_text(encoding="utf-8"))
CLAIM, JOB = yaml.safe_load_all((DEPLOY / "rayjob.yaml").read_text(encoding="utf-8"))
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
OPTIONS = {option for parameter in get_command(app).commands["run"].params for option in parameter.opts}  # type: ignore[attr-defined]


def commands(text: str) -> list[list[str]]:
    """The words of each `viva COMMAND ...` in a text."""
    names = {name for group in GROUPS.values() for name in group}
    found = []
    for line in text.splitlines():
        if re.search(r"(^| )viva (\w|-)+ ", line) and line.startswith((" ", "viva")):
            words = shlex.split(line.split("   #")[0])
            starts = [at for at, word in enumerate(words[:-1]) if word == "viva" and words[at + 1] in names]
            found += [words[starts[-1] + 1 :]] if starts else []
    return found


def parsed(words: list[str]) -> dict[str, Any]:
    """What the command takes of them. Fails for a command, an option or a value that there is not."""
    name, *arguments = words
    command = get_command(app).commands[name]  # type: ignore[attr-defined]
    given: dict[str, Any] = command.make_context(name, arguments).params
    return given


def test_the_job_s_command_is_one_that_viva_takes() -> None:
    (words,) = commands(JOB["spec"]["entrypoint"])
    given = parsed(words)
    assert (given["engine"], given["ray_address"]) == ("ray", "auto")
    assert {"database_url", "qdrant_url", "out", "max_cost"} <= {name for name, value in given.items() if value}


@pytest.mark.parametrize("page", ["examples/deploy/README.md", "docs/sources.md"])
def test_the_commands_of_a_page_are_ones_that_viva_takes(page: str) -> None:
    # what explains a command stands some blanks behind it
    text = re.sub(r"(\S) {6,}\S.*", r"\1", (ROOT / page).read_text(encoding="utf-8"))
    found = commands(text)
    assert len(found) > 1
    for words in found:
        assert parsed(words)["docs"] or parsed(words)["loader"]


def test_the_environment_of_the_compose_file_is_settings_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {n: v for n, v in COMPOSE["services"]["worker"]["environment"].items() if n.startswith("VIVA_")}
    assert own.keys() <= {f"VIVA_{name.upper()}" for name in Settings.model_fields}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert (settings.database_url, settings.qdrant_url) == (
        "postgresql://viva@postgres:5432/viva",
        "http://qdrant:6333",
    )
    assert {"postgres", "qdrant"} <= COMPOSE["services"].keys()


def test_the_compose_file_has_two_workers_that_are_nodes_of_the_head_s_cluster_and_opens_no_port() -> None:
    services = COMPOSE["services"]
    assert services["worker"]["deploy"]["replicas"] == 2
    assert "--address=head:6379" in services["worker"]["entrypoint"]
    assert "--port=6379" in services["head"]["entrypoint"]
    assert not [name for name, service in services.items() if "ports" in service or "network_mode" in service]
    assert (DEPLOY / services["head"]["build"]["context"]).resolve() == ROOT
    assert (ROOT / services["head"]["build"]["dockerfile"]).is_file()
    mounted = {volume.partition(":")[0] for service in services.values() for volume in service.get("volumes", ())}
    assert {name for name in mounted if not name.startswith("$")} == COMPOSE["volumes"].keys()


def test_no_secret_stands_in_a_file() -> None:
    for service in COMPOSE["services"].values():
        for name, value in service.get("environment", {}).items():
            if re.search("PASSWORD|KEY|TOKEN|SECRET", name):
                assert re.fullmatch(r"\$\{[A-Z_]+:[-?].*\}", value), name
    for container in containers():
        assert container["envFrom"] == [{"secretRef": {"name": "viva-keys"}}]
        assert "env" not in container


def containers() -> list[dict[str, Any]]:
    cluster = JOB["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [container for group in groups for container in group["template"]["spec"]["containers"]]


def test_the_job_is_one_of_kuberay_with_two_workers_that_run_as_nobody_special() -> None:
    assert (JOB["apiVersion"], JOB["kind"]) == ("ray.io/v1", "RayJob")
    cluster = JOB["spec"]["rayClusterSpec"]
    (workers,) = cluster["workerGroupSpecs"]
    assert workers["minReplicas"] <= workers["replicas"] == 2 <= workers["maxReplicas"]
    for group in (cluster["headGroupSpec"], workers):
        assert group["template"]["spec"]["securityContext"]["runAsNonRoot"] is True
    claim = cluster["headGroupSpec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert claim == CLAIM["metadata"]["name"]


def test_the_image_does_not_run_as_root_and_names_extras_and_folders_that_there_are() -> None:
    assert re.findall(r"^USER (\S+)$", DOCKERFILE, re.MULTILINE) == ["viva"]
    (uid,) = re.findall(r"--uid (\d+) viva", DOCKERFILE)
    assert {int(uid)} == {
        group["template"]["spec"]["securityContext"]["runAsUser"]
        for group in (
            JOB["spec"]["rayClusterSpec"]["headGroupSpec"],
            *JOB["spec"]["rayClusterSpec"]["workerGroupSpecs"],
        )
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (extras,) = re.findall(r"^ARG EXTRAS=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert set(extras.split(",")) - project["optional-dependencies"].keys() <= (
        {"ray"} if not OPTIONS & {"--engine"} else set()
    )
    (torch,) = (each for each in project["dependencies"] if each.startswith("torch"))
    assert f'"{torch}"' in DOCKERFILE
    kept = re.findall(r"^!(\S+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8"), re.MULTILINE)
    assert all((ROOT / name).exists() for name in kept)
    assert "viva" in kept
