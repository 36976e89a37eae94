import { findTemporal, findTestServer, type FoundBinary } from '../../embedded/binary/find-temporal';

// Found once for all tests of a file: its checksum is compared each time.
let temporal: Promise<FoundBinary> | null = null;
let testServer: Promise<FoundBinary> | null = null;

/** Path of the time-skipping test server; fetched into the cache on first use. */
export async function testServerPath(): Promise<string> {
  testServer ??= findTestServer();
  return (await testServer).path;
}

/** Path of the real Temporal server. */
export async function temporalPath(): Promise<string> {
  temporal ??= findTemporal();
  return (await temporal).path;
}
