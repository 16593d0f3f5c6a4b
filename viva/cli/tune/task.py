"""A tuning's task, its folder and its report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from viva.cli.tune.options import TuneOptions
from viva.core.disk_space import write_whole
from viva.core.errors import UsageError
from viva.core.ids import content_hash
from viva.core.records.judging import Quality
from viva.core.records.tuning import Data, TuningReport
from viva.optimizers.judge_agreement import people_agreement
from viva.optimizers.labelled import LabelledRows, fingerprint
from viva.optimizers.objectives import IN_CLASSES
from viva.optimizers.splits import LabelSplit

_DRAWS = 200
"""Enough to see how far annotators agree; a dry run should not wait for more."""


@dataclass(frozen=True)
class Task:
    """The quality to tune, with the labels as they were read and as they are split."""

    quality: Quality
    labelled: LabelledRows
    test: LabelledRows | None
    split: LabelSplit
    seed: int

    @cached_property
    def data(self) -> Data:
        """The data of the report."""
        read, parts, test = self.labelled, self.split, self.test or self.labelled
        return Data(
            name=read.name,
            fingerprint=read.fingerprint,
            columns=dict(read.columns),
            rows=read.rows,
            unlabelled=read.unlabelled,
            lacking=read.lacking,
            repeated=read.repeated,
            contradicted=read.contradicted,
            undecided=read.undecided,
            annotators=dict(read.annotators),
            people=people_agreement(
                read.cases, in_classes=self.quality in IN_CLASSES, seed=self.seed, resamples=_DRAWS
            ),
            words=dict(read.words),
            groups=parts.groups,
            merged=parts.merged,
            taken_out=parts.taken_out,
            test_name=test.name if self.test else f"{test.name}, test part",
            test_fingerprint=fingerprint(parts.test),
            train=len(parts.train),
            validation=len(parts.validation),
            test=len(parts.test),
            test_groups=parts.test_groups,
        )


def out_folder(given: TuneOptions, name: str) -> Path:
    """--out, or a folder named after the judge and the labels."""
    out = given.out or Path("viva-runs") / re.sub(r"[^\w.-]+", "-", name).strip("-.")
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file.", allowed="A folder.", next_step="Name another --out.")
    return Path(out)


def write_report(report: TuningReport, folder: Path, *asked: str | float) -> TuningReport:
    """Write the report as JSON and HTML, with the number of other tunings decided on the same test cases.

    `asked`: what the models were asked with, besides what the report says. Another tuning has another name.
    """
    from viva.reports.tuning import render_tuning

    data = report.data
    told = content_hash("tuning", report.model, data.fingerprint, data.test_fingerprint, *asked)[:8]
    parts = ("tuning", report.quality.value, report.optimizer, report.effort, str(report.seed), told)
    name = re.sub(r"[^\w.-]+", "-", "-".join(filter(None, parts))).lower()
    file = folder / f"{name}.json"
    earlier = sum(
        data.test_fingerprint in other.read_text(encoding="utf-8", errors="replace")
        for other in folder.glob("tuning-*.json")
        if other != file
    )
    report = report.model_copy(update={"earlier": earlier, "page": file.with_suffix(".html").name})
    for path, text in (
        (file, report.model_dump_json(indent=1) + "\n"),
        (file.with_suffix(".html"), render_tuning(report)),
    ):
        write_whole(path, text)
    return report
