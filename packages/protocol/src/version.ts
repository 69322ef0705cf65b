/** Baton's version, which clients and servers tell each other. */
export const BATON_VERSION = '0.1.0';
