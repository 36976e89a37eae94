/** A disk that holds the spool's files in memory, one per simulation. Operations listed in `fails` are refused. */
export interface DiskState {
  files: Map<string, string>;
  fails: () => string | null;
}

const state: { current: DiskState } = { current: { files: new Map(), fails: () => null } };

export function useDisk(disk: DiskState): void {
  state.current = disk;
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function demandWell(path: string): void {
  const code = state.current.fails();
  if (code !== null) throw failure(code, path);
}

/** A file is on disk once it was synced; one that was only written may be lost. */
function opened(path: string) {
  let text = '';
  return {
    writeFile: async (given: string): Promise<void> => {
      demandWell(path);
      text = given;
    },
    sync: async (): Promise<void> => {
      demandWell(path);
      if (text !== '') state.current.files.set(path, text);
    },
    close: async (): Promise<void> => undefined,
  };
}

/** Replaces `node:fs/promises`, for the spool. */
export const virtualDisk = {
  mkdir: async (): Promise<void> => undefined,
  open: async (path: string) => opened(path),
  readdir: async (folder: string): Promise<string[]> => {
    const inside = [...state.current.files.keys()].filter((path) => path.startsWith(`${folder}/`));
    if (inside.length === 0) throw failure('ENOENT', folder);
    return inside.map((path) => path.slice(folder.length + 1)).filter((name) => !name.includes('/'));
  },
  readFile: async (path: string): Promise<string> => {
    const text = state.current.files.get(path);
    if (text === undefined) throw failure('ENOENT', path);
    return text;
  },
  rename: async (from: string, to: string): Promise<void> => {
    demandWell(to);
    const text = state.current.files.get(from);
    if (text === undefined) throw failure('ENOENT', from);
    state.current.files.delete(from);
    state.current.files.set(to, text);
  },
  rm: async (path: string): Promise<void> => {
    state.current.files.delete(path);
  },
};
