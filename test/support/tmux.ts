import { spawnSync } from 'node:child_process';

/** Without tmux, tests of terminals are skipped. */
export const tmuxIsThere = spawnSync('tmux', ['-V']).status === 0;
if (!tmuxIsThere) process.stderr.write('tmux is not there: apt-get install tmux\n');

/** A tmux terminal, in a separate server, that runs a command line of `sh` in a separate environment. */
export class Terminal {
  readonly #socket = `reelay-${String(process.pid)}-${String(Math.random()).slice(2)}`;

  constructor(command: string, options: { columns: number; env: Readonly<Record<string, string>> }) {
    const words = Object.entries(options.env).map(([name, value]) => `${name}='${value}'`);
    const line = `env -i TERM=screen ${words.join(' ')} ${command}; sleep 600`;
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(options.columns), '-y', '40', line);
  }

  resize(columns: number): void {
    this.#tmux('resize-window', '-x', String(columns));
  }

  /** Its content, with colours if requested. */
  screen(...flags: string[]): string[] {
    const lines = this.#tmux('capture-pane', '-p', ...flags).split('\n');
    return lines.map((line) => line.trimEnd()).filter((line) => line !== '');
  }

  press(key: string): void {
    this.#tmux('send-keys', key);
  }

  type(letters: string): void {
    this.#tmux('send-keys', '-l', letters);
  }

  close(): void {
    this.#tmux('kill-server');
  }

  #tmux(...args: string[]): string {
    return spawnSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8' }).stdout;
  }
}
