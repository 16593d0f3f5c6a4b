"""The server of `viva view`: routes, errors as pages, and one thread in which runs are read and acts are recorded."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from aiohttp import web

from viva.core.errors import RunLocked, TransientError, UsageError
from viva.exams.review import Overtaken
from viva.reports.embed import template
from viva.viewer import acts
from viva.viewer.guard import HEADERS, Guard
from viva.viewer.loaded_run import LoadedRun
from viva.viewer.pages import items, judges, oral, overview, systems, trace
from viva.viewer.query import NotFound, Query

_MOST_BYTES = 64 * 1024
"""Of a form: a wording and a note."""
_DIGITS = 6
_STATIC = {"viewer.css": "text/css", "viewer.js": "text/javascript"}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Viewer:
    """The runs that are shown, and who looks at them. Runs are read in one thread: SQLite files want that."""

    runs: Sequence[LoadedRun]
    guard: Guard
    by: str
    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="viewer"))

    def run(self, number: str) -> LoadedRun:
        """The run of that number. NotFound where there is none."""
        if not number.isascii() or not number.isdigit() or len(number) > _DIGITS or int(number) >= len(self.runs):
            raise NotFound("There is no such run here.", next_step="The first page lists the runs.")
        return self.runs[int(number)]

    async def read(self, work: Callable[[], Any]) -> Any:
        """Done in the thread of the runs."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, work)

    def close(self) -> None:
        """Give back the files."""
        for run in self.runs:
            self.thread.submit(run.close).result()
        self.thread.shutdown()


_VIEWER: web.AppKey[Viewer] = web.AppKey("viewer", Viewer)


def application(viewer: Viewer) -> web.Application:
    """The pages and acts, behind the guard."""
    app = web.Application(middlewares=[_guarded], client_max_size=_MOST_BYTES)
    app[_VIEWER] = viewer
    app.router.add_get("/", _runs)
    for name in _STATIC:
        app.router.add_get(f"/static/{name}", _static)
    for address, (file, page) in _PAGES.items():
        app.router.add_get(f"/run/{{run}}{address}", _page(file, page))
    app.router.add_get("/run/{run}/find", _find)
    app.router.add_get("/run/{run}/progress.json", _progress)
    app.router.add_get("/run/{run}/exam.jsonl", _exam_file)
    app.router.add_post("/run/{run}/items/{id}/review", _review)
    app.router.add_post("/run/{run}/finish", _finish)
    app.router.add_post("/run/{run}/labels/{id}", _label)
    return app


# --- pages ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageRequest:
    """A page of a run that somebody asked for."""

    run: LoadedRun
    id: str
    query: Query
    by: str


Made = Callable[[PageRequest], dict[str, Any]]
"""A page's values."""
_PAGES: dict[str, tuple[str, Made]] = {
    "": ("run", lambda a: overview.run_page(a.run, a.run.state())),
    "/units": ("units", lambda a: items.units_page(a.run.state(), a.query)),
    "/units/{id}": ("trace", lambda a: trace.trace_page(a.run, a.run.state(), a.id)),
    "/calls/{id}": ("call", lambda a: trace.call_page(a.run, a.id)),
    "/items": ("items", lambda a: items.items_page(a.run.state(), a.query)),
    "/items/{id}": ("item", lambda a: items.item_page(a.run, a.run.state(), a.id, a.by)),
    "/systems": ("systems", lambda a: systems.systems_page(a.run.state())),
    "/systems/{id}": ("system", lambda a: systems.system_page(a.run, a.run.state(), a.id, a.query)),
    "/compare": ("compare", lambda a: systems.compare_page(a.run, a.run.state(), a.query)),
    "/map": ("map", lambda a: systems.map_page(a.run, a.run.state(), a.query)),
    "/oral": ("oral", lambda a: oral.oral_page(a.run)),
    "/oral/{id}": ("transcript", lambda a: oral.transcript_page(a.run, a.run.state(), a.id)),
    "/judges": ("judges", lambda a: judges.judges_page(a.run, a.run.state(), a.query, a.by)),
    "/label": ("label", lambda a: judges.label_page(a.run, a.run.state(), "", a.by, a.query.text("last"))),
    "/label/{id}": ("label", lambda a: judges.label_page(a.run, a.run.state(), a.id, a.by)),
}


def _page(file: str, page: Made) -> Handler:
    async def handler(request: web.Request) -> web.Response:
        viewer, run = _asked_of(request)
        asked = PageRequest(run, request.match_info.get("id", ""), _query(request), viewer.by)
        shown = f"{file}.html.j2"
        return _html(await viewer.read(lambda: rendered(shown, viewer, request, run=run, **page(asked))))

    return handler


def _asked_of(request: web.Request) -> tuple[Viewer, LoadedRun]:
    """The viewer, and the run that the address names."""
    viewer = request.app[_VIEWER]
    return viewer, viewer.run(request.match_info["run"])


async def _runs(request: web.Request) -> web.Response:
    viewer = request.app[_VIEWER]
    return _html(
        await viewer.read(
            lambda: rendered("runs.html.j2", viewer, request, run=None, **overview.runs_page(viewer.runs))
        )
    )


async def _static(request: web.Request) -> web.Response:
    name = request.path.rsplit("/", 1)[-1]
    return web.Response(text=_asset(name), content_type=_STATIC[name], headers={"Cache-Control": "max-age=300"})


async def _find(request: web.Request) -> web.Response:
    viewer, run = _asked_of(request)
    place = await viewer.read(lambda: overview.place_of(run, _query(request).text("id")))
    return _see(f"/run/{request.match_info['run']}{place}")


async def _progress(request: web.Request) -> web.Response:
    viewer, run = _asked_of(request)
    return web.json_response(await viewer.read(lambda: overview.progress(run)))


async def _exam_file(request: web.Request) -> web.Response:
    viewer, run = _asked_of(request)
    text = await viewer.read(lambda: acts.exam_file(run))
    headers = {"Content-Disposition": 'attachment; filename="exam.jsonl"'}
    return web.Response(text=text, content_type="application/jsonl", headers=headers)


# --- acts -------------------------------------------------------------------------------------------------


async def _review(request: web.Request) -> web.Response:
    form, (viewer, run) = await _form(request), _asked_of(request)
    item_id = request.match_info["id"]
    after = form.get("then", "")
    if not after.isalnum() and after:
        raise UsageError("The form names no question to go on to.")
    now = await viewer.read(lambda: acts.review(run, item_id, form, viewer.by))
    return _see(f"/run/{request.match_info['run']}/items/{after or now}")


async def _finish(request: web.Request) -> web.Response:
    await _form(request)
    viewer, run = _asked_of(request)
    await viewer.read(lambda: acts.finish(run))
    return _see(f"/run/{request.match_info['run']}/items")


async def _label(request: web.Request) -> web.Response:
    form, (viewer, run) = await _form(request), _asked_of(request)
    response_id = request.match_info["id"]
    await viewer.read(lambda: acts.label(run, response_id, form, viewer.by))
    page = f"/run/{request.match_info['run']}/label"
    return _see(f"{page}/{response_id}") if form.get("score") == "undo" else _see(page, last=response_id)


async def _form(request: web.Request) -> dict[str, str]:
    if request.content_type != "application/x-www-form-urlencoded":
        raise UsageError("What was sent is no form of this server.")
    try:
        posted = await request.post()
    except (LookupError, ValueError) as error:
        raise UsageError("The form cannot be read: it is no text in UTF-8.") from error
    # a browser writes the line ends of a field in its own way
    return {name: value.replace("\r\n", "\n") for name, value in posted.items() if isinstance(value, str)}


def _see(address: str, **asked: str) -> web.Response:
    """Go there: a page that is loaded again does not act again. Addresses are of ids, which hold no other place."""
    if not all(part.isalnum() or part in "/-_." for part in address) or "//" in address:
        raise UsageError("The form names no page of this server.")
    return web.Response(
        status=HTTPStatus.SEE_OTHER, headers={"Location": f"{address}?{Query(asked).with_()}".rstrip("?")}
    )


# --- around all of them -----------------------------------------------------------------------------------


@web.middleware
async def _guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
    viewer = request.app[_VIEWER]
    guard, given = viewer.guard, request.query.get("token", "")
    refused = guard.refuses(request.method, request.headers, given or request.cookies.get(guard.cookie, ""))
    if refused:
        response: web.StreamResponse = _problem(viewer, request, HTTPStatus.FORBIDDEN, refused)
    elif given and guard.needs_token and request.method == "GET":
        # out of the address bar, and of the history
        asked = Query({name: value for name, value in request.query.items() if name != "token"}).with_()
        response = web.Response(
            status=HTTPStatus.SEE_OTHER, headers={"Location": f"{request.path}?{asked}".rstrip("?")}
        )
        response.set_cookie(guard.cookie, guard.token, httponly=True, samesite="Strict")
    else:
        response = await _answered(viewer, request, handler)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


async def _answered(viewer: Viewer, request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except NotFound as error:
        return _problem(viewer, request, HTTPStatus.NOT_FOUND, str(error))
    except Overtaken as error:
        return _problem(viewer, request, HTTPStatus.CONFLICT, str(error))
    except (RunLocked, TransientError) as error:
        return _problem(viewer, request, HTTPStatus.SERVICE_UNAVAILABLE, str(error))
    except UsageError as error:
        return _problem(viewer, request, HTTPStatus.BAD_REQUEST, str(error))
    except web.HTTPRequestEntityTooLarge:
        told = f"The form is larger than {_MOST_BYTES:,} bytes."
        return _problem(viewer, request, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, told)
    except web.HTTPException as error:
        told = "There is no such page here." if error.status == HTTPStatus.NOT_FOUND else error.reason
        return _problem(viewer, request, HTTPStatus(error.status), told)


def _problem(viewer: Viewer, request: web.Request, status: HTTPStatus, told: str) -> web.Response:
    shown = re.sub(r"/(review|finish)$", "", request.path).replace("/labels/", "/label/")
    back = shown if request.method == "POST" and re.fullmatch(r"/run/\d+/[a-z]+(/[0-9a-z]+)?", shown) else ""
    page = rendered("problem.html.j2", viewer, request, run=None, told=told, status=int(status), back=back)
    return web.Response(text=page, status=status, content_type="text/html")


def _query(request: web.Request) -> Query:
    return Query({name: value for name, value in request.query.items() if name != "token"})


def _html(text: str) -> web.Response:
    return web.Response(text=text, content_type="text/html")


def rendered(name: str, viewer: Viewer, request: web.Request, **values: Any) -> str:
    """The page. What is not a plain address of this server is in no link."""
    return template(name, "viva.viewer").render(
        base=f"/run/{request.match_info.get('run', '')}",
        path=request.path,
        query=_query(request),
        by=viewer.by,
        read_only=viewer.guard.read_only,
        **values,
    )


def _asset(name: str) -> str:
    return files("viva.viewer.templates").joinpath(name).read_text(encoding="utf-8")


def assets() -> Mapping[str, str]:
    """The files beside the pages, by name."""
    return {name: _asset(name) for name in _STATIC}
