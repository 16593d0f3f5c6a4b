"""Marks of Markdown and reStructuredText: text without them, and the headings that they make."""

from viva.core.markup.block_reader import Blocks, Dialect, blocks, dialect_of, open_fence
from viva.core.markup.outline import first_sentences, heading_lines, headings_above
from viva.core.markup.plain_text import Unmarked, plain_line, unmarked, unmarked_part
