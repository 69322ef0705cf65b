/** Baton's version, which clients and servers tell each other. */
export const VERSION = '0.1.0';
