/** Version of every package of this release; a test holds it equal to the package files. */
export const VERSION = '0.1.0';
