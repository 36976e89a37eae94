import { type CommandContext, type CommandFlags } from './command';
import { ExitError } from './errors';
import { EXIT, type ExitCode } from './exit-codes';
import { readPublication } from './publication-views';
import { endOf } from './resolve-check';
import { safeText } from './safe-text';
import { openSession } from './service-session';

export interface AdoptFlags extends CommandFlags {
  campaign: string;
  key: string;
  profile?: string;
  yes?: boolean;
}

/** Makes a publication that was made by hand the one of a row: it is followed, and nothing is created for it. */
export async function adoptPublication(
  { output, flags: shared }: CommandContext,
  id: string,
  flags: AdoptFlags,
): Promise<ExitCode> {
  const [{ whoAmI }, { confirm }] = await Promise.all([import('./settings.js'), import('./ask.js')]);
  const session = await openSession(output, shared, 'change');
  try {
    const { ledger, settings } = session;
    const connection = session.connection();
    const publication = await readPublication(session, id);
    const owner = (await ledger.ownersOf(connection.name, [publication.id])).get(publication.id);
    if (owner !== undefined) {
      const same = owner.campaign === flags.campaign && owner.key === flags.key;
      throw new ExitError(
        'publication-owned',
        `publication ${safeText(id)} is that of key ${safeText(owner.key)} in campaign ${owner.campaign} already`,
        EXIT.usage,
        same ? 'There is nothing to do.' : 'One publication belongs to one row; look for another id.',
      );
    }
    const profileId = await profileOf();
    const status = publication.status ?? 'processing';
    await confirm({
      output,
      yes: flags.yes ?? false,
      question: `Publication ${safeText(id)} (${safeText(status)}${publication.title === undefined ? '' : `, “${safeText(publication.title)}”`}) becomes that of key ${safeText(flags.key)} in campaign ${flags.campaign}: nothing is created for it any more. Go on?`,
    });
    const by = await whoAmI();
    const { campaign, key } = flags;
    const adopted = await ledger
      .adopt({
        ...{ campaign, key, account: connection.name, platform: publication.platform, publicationId: publication.id },
        ...(profileId === undefined ? {} : { profileId }),
        ...{ status, by, ...endOf(publication) },
      })
      .catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'LedgerStateError') throw error;
        const hint =
          'The row has to be in the ledger: submit the campaign first, with the row among `skip: yes` ones if need be.';
        throw new ExitError('not-adopted', error.message, EXIT.usage, hint);
      });
    const { hurryOn } = await import('./carry-on.js');
    const { run, state } = adopted;
    const hurried = run === null ? true : await hurryOn({ output, settings, ledger, run, by });
    const told = run === null ? null : `${run.campaign}.${String(run.number)}`;
    if (output.isText) await output.lines([`${safeText(key)}\t${state}\t${publication.id}`]);
    else
      await output.json({ version: 1, campaign, key, state, publication_id: publication.id, run: told, hurried, by });
  } finally {
    await session.close();
  }
  return EXIT.ok;

  async function profileOf(): Promise<string | undefined> {
    if (flags.profile === undefined) return undefined;
    const { profileId } = await import('./profile-views.js');
    return profileId((await session.connection().client.listProfiles()).profiles, flags.profile) ?? '';
  }
}
