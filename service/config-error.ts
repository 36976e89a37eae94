/** Which setting of the client is wrong. */
export type ConfigField = 'baseUrl' | 'apiKey' | 'limits' | 'proxy';

/** A setting of the client that cannot work. Its message explains how to fix it and never shows a secret. */
export class ServiceConfigError extends Error {
  override readonly name = 'ServiceConfigError';
  readonly code = 'service-config';

  constructor(
    readonly field: ConfigField,
    message: string,
  ) {
    super(message);
  }
}
