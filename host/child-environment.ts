type Environment = Readonly<Record<string, string | undefined>>;

/** What a program needs to start and to find its files, its language and its clock. */
const NEEDED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|XDG_[A-Z_]+|SystemRoot|SystemDrive|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|ProgramData)$/i;

/** What a program that connects to other hosts needs in addition: proxies and certificates. */
const NETWORK = /^((https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE)$/i;

const PIP = /^PIP_[A-Z_]+$/i;

export interface ChildNeeds {
  /** It connects to other hosts. */
  network?: boolean;
  /** It is pip, or unpacks what pip downloaded. */
  pip?: boolean;
  /** Further variables, by their exact names. */
  named?: readonly string[];
}

/** The environment of a program that this process starts: no key, no address of a notice, nothing unknown. */
export function bareEnvironment(env: Environment, needs: ChildNeeds = {}): Record<string, string> {
  const isKept = (name: string): boolean =>
    NEEDED.test(name) ||
    (needs.network === true && NETWORK.test(name)) ||
    (needs.pip === true && PIP.test(name)) ||
    (needs.named?.includes(name) ?? false);
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isKept(entry[0]),
  );
  return Object.fromEntries(kept);
}
