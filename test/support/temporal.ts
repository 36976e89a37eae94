import { findTemporal, findTestServer } from '../../embedded/binary/find-temporal';

/** Path of the time-skipping test server; fetched into the cache on first use. */
export async function testServerPath(): Promise<string> {
  return (await findTestServer()).path;
}

/** Path of the real Temporal server. */
export async function temporalPath(): Promise<string> {
  return (await findTemporal()).path;
}
