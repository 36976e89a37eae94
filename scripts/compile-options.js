'use strict';

/** How a source becomes JavaScript, in the build and in tests alike. */
module.exports = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
};
