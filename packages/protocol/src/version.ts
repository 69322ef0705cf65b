/** Baton's own, as each of its parts tells it to whoever is on the other side. */
export const VERSION = '0.1.0';
