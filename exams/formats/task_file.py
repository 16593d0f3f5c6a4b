"""The YAML file of a task of lm-evaluation-harness, read as data and nothing else."""

from __future__ import annotations

import json

import yaml

from viva.core.errors import UsageError
from viva.exams.formats.rows import Row

_MOST = 2**20
_MEAN: Row = {"aggregation": "mean", "higher_is_better": True}
_NEXT = "A task with code of its own cannot be imported; its documents alone can, as JSON Lines."


class _Plain(yaml.SafeLoader):
    """Refuses references: a few lines of them unfold to gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("references are not read")
        return super().compose_node(parent, index)


def load_task(text: str) -> Row:
    """The fields of a task. UsageError where it is no task of multiple choice, or needs code of its own."""
    if len(text) > _MOST:
        raise UsageError(f"The task is longer than {_MOST:,} characters.", next_step=_NEXT)
    try:
        task = yaml.load(text, Loader=_Plain)  # noqa: S506 - a safe loader made safer
        # dates and the like as text: an item's record is JSON
        as_data: Row = json.loads(json.dumps(task, default=str))
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        reason = str(getattr(error, "problem", "") or error).partition("\n")[0]
        raise UsageError(f"The task is no plain YAML: {reason}.", next_step=_NEXT) from error
    if not isinstance(task, dict) or not {"doc_to_text", "doc_to_choice", "doc_to_target"} <= task.keys():
        raise UsageError(
            "It is no task of multiple choice.",
            allowed="A task names doc_to_text, doc_to_choice and doc_to_target.",
            next_step="If its documents are a file, import that file.",
        )
    return as_data


def task_text(task: Row, exam_id: str, documents: str) -> str:
    """A task as lm_eval runs it in the folder it stands in: the given fields, and what they leave open."""
    fields: Row = {
        "task": f"viva_{exam_id}",
        "dataset_path": "json",
        "output_type": "multiple_choice",
        "test_split": "test",
        **task,
        "dataset_kwargs": {"data_files": {task.get("test_split") or "test": documents}},
    }
    # per character too: options differ in length, and the longer one is the less likely
    fields.setdefault("metric_list", [{"metric": name, **_MEAN} for name in ("acc", "acc_norm")])
    fields.setdefault("metadata", {"version": 1.0})
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=10_000)
