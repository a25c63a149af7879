# SPDX-License-Identifier: Apache-2.0
"""The smallest settings with which something still holds (delta debugging: Zeller and Hildebrandt, 2002)."""


def smallest(settings, holds):
    """A part of `settings` for which `holds` is true and from which no single key can be left out. `holds(settings)`
    must be true."""
    keys, parts = sorted(settings), 2
    if keys and holds({}):
        return {}
    while len(keys) > 1:
        size = -(-len(keys) // parts)
        pieces = [keys[at:at + size] for at in range(0, len(keys), size)]
        kept = next(([key for key in keys if key not in piece] for piece in pieces
                     if len(piece) < len(keys) and holds({key: settings[key] for key in keys if key not in piece})), None)
        if kept is not None:
            keys, parts = kept, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(keys))
    return {key: settings[key] for key in keys}
