"""`python -m viva` is `viva`."""

from viva.cli.main import main

if __name__ == "__main__":
    main()
