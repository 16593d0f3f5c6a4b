"""A server on loopback of OpenAI's completions with `echo` and `logprobs`; what is in it is a real, tiny model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Changed = Callable[[dict[str, Any]], dict[str, Any] | bytes | int]


class Served:
    """Requests, as they came, and the headers of the last."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        self.authorization: str | None = None


@contextmanager
def serve_logprobs(model: Path, changed: Changed | None = None) -> Iterator[Served]:
    """The model of this folder as a server; `changed` makes another body of each reply, bytes, or a bare status."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    llama = AutoModelForCausalLM.from_pretrained(model).eval()
    served = Served()
    lock = threading.Lock()

    def completed(body: dict[str, Any]) -> dict[str, Any]:
        prompt = tokenizer.encode(body["prompt"])
        with lock, torch.inference_mode():
            tokens = llama.generate(
                torch.tensor([prompt]), max_new_tokens=body["max_tokens"], do_sample=False, pad_token_id=0
            )[0]
            near = torch.log_softmax(llama(tokens.unsqueeze(0)).logits[0].float(), dim=-1)
        logprobs = [None, *(float(near[n, token]) for n, token in enumerate(tokens[1:].tolist()))]
        kept = 0 if body.get("echo") else len(prompt)
        told = {
            "tokens": [tokenizer.decode([token]) for token in tokens[kept:]],
            "token_logprobs": logprobs[kept:],
        }
        text = tokenizer.decode(tokens[kept:], skip_special_tokens=True)
        return {"choices": [{"index": 0, "text": text, "logprobs": told if body.get("logprobs") else None}]}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.bodies.append({"path": self.path, **body})
            served.authorization = self.headers.get("Authorization")
            reply: dict[str, Any] | bytes | int = completed(body)
            if changed is not None and isinstance(reply, dict):
                reply = changed(reply)
            self.send_response(reply if isinstance(reply, int) else 200)
            sent = (
                b"" if isinstance(reply, int) else reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            )
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
