"""The data of bench/lookup: `row` counts from 0, `id` is row * FACTOR % IDS: every row another one, in
no order. Read by the driver, and by the peers."""

FACTOR = 2654435761  # odd, so that products differ modulo a power of two
IDS = 2**32


def id_of(row):
    return row * FACTOR % IDS
