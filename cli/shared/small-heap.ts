import { setFlagsFromString } from 'node:v8';

/**
 * Collects garbage sooner, for a short command that holds a large manifest. At the end of a plan of 100,000 rows about
 * 150 MB are in use, but V8 lets its heap grow to several times that before it collects, and compiling the HTTP
 * parser's WebAssembly a second time for speed takes 30 MB for a moment. Peaks of `plan`: 374 MB without these flags,
 * 308 MB with only the second, 306 MB with only the first, 271 MB with both (the aim is 300 MB); of `submit`: 436 MB
 * without them, 341 MB with them. Node.js has no option for either that a command could set for itself. The flags
 * affect only when V8 collects and optimises.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--liftoff-only');
}
