type Environment = Readonly<Record<string, string | undefined>>;

/** What a program needs to start and to find its files, its language and its clock. */
const NEEDED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|XDG_[A-Z_]+|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|ProgramData)$/i;

/** What one needs beside it that fetches something: proxies, certificates, pip's own settings. */
const NETWORK = /^((https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE|PIP_[A-Z_]+)$/i;

/** The environment of a program of someone else's that this process starts: no key, no address of a notice, nothing unknown. */
export function bareEnvironment(env: Environment, needs: { network?: boolean } = {}): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (NEEDED.test(entry[0]) || (needs.network === true && NETWORK.test(entry[0]))),
  );
  return Object.fromEntries(kept);
}
