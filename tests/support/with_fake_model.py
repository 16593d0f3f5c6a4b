"""The command line with `--model fake:NAME`: python tests/support/with_fake_model.py run DOCS --model fake:any"""

from __future__ import annotations

from fake_model import provider

from viva.cli.main import main

if __name__ == "__main__":
    provider.register()
    main()
