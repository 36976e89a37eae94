import { type Ledger } from '../../../../ledger/ledger';
import { type RowValues } from '../../../../ledger/model/types';
import { type Publication } from '../../../../service/api/publication';
import { type CommandContext, type CommandFlags } from '../../../command';
import { ExitError, UsageError } from '../../../errors/errors';
import { explainError } from '../../../errors/explain-error';
import { EXIT, type ExitCode } from '../../../errors/exit-codes';
import { readPublication } from './publication-views';
import { ended } from '../../correct/resolve/resolve-check';
import { safeText } from '../../../terminal/safe-text';
import { openSession, type ServiceSession } from '../../../shared/service-session';
import { type Settings } from '../../../config/settings';

export interface AdoptFlags extends CommandFlags {
  campaign: string;
  key: string;
  profile?: string;
  yes?: boolean;
}

/** Assigns an existing publication to a row: it is followed, and nothing is created for the row. */
export async function adoptPublication(
  { output, flags: shared }: CommandContext,
  id: string,
  flags: AdoptFlags,
): Promise<ExitCode> {
  const [{ whoAmI }, { confirm }, engine] = await Promise.all([
    import('../../../config/settings.js'),
    import('../../../terminal/ask.js'),
    import('../../../stack/engine.js'),
  ]);
  const { campaign, key } = await demandRowName(flags);
  const session = await openSession(output, shared, 'make');
  try {
    const { ledger, settings } = session;
    const connection = session.connection();
    const publication = await readPublication(session, id);
    const owner = (await ledger.ownersOf(connection.name, [publication.id])).get(publication.id);
    if (owner !== undefined) {
      const same = owner.campaign === campaign && owner.key === key;
      throw new ExitError(
        'publication-owned',
        `publication ${safeText(id)} already belongs to key ${safeText(owner.key)} in campaign ${owner.campaign}`,
        EXIT.usage,
        same ? 'There is nothing to do.' : 'A publication belongs to only one row; use another id.',
      );
    }
    const profile = await profileNamed(session, flags.profile ?? publication.profileId);
    const platforms = settings.accounts.find((one) => one.name === connection.name)?.platforms ?? settings.platforms;
    const make = profile === undefined ? null : await rowValues(publication, profile, platforms);
    const status = publication.status ?? 'processing';
    const others = await rowsElsewhere(ledger, { campaign, key, account: connection.name, publication, profile });
    if (others.length > 0) output.warn(elsewhereText(campaign, key, others));
    await confirm({
      output,
      yes: flags.yes ?? false,
      question: `Assign publication ${safeText(id)} (${safeText(status)}${publication.title === undefined ? '' : `, “${safeText(publication.title)}”`}) to key ${safeText(key)} in campaign ${campaign}? Nothing will be created for that row.`,
    });
    const by = await whoAmI();
    await engine.bindAccounts(ledger, session.accounts, { names: [connection.name], confirm: settings.sandbox });
    const adopted = await ledger
      .adopt({
        ...{ campaign, key, account: connection.name, platform: publication.platform, publicationId: publication.id },
        // Only a profile that a person named identifies the row: the profile of the default channel isn't known.
        ...(flags.profile === undefined || profile === undefined ? {} : { profileId: profile.id ?? '' }),
        ...(make === null ? {} : { make }),
        ...{ status, by, ...(await ended(null, publication)) },
      })
      .catch((error: unknown) => {
        const { code, message } = explainError(error);
        if (code !== 'ledger-state') throw error;
        const hint =
          make === null ? 'If no manifest has named the row yet, add --profile NAME or --profile default.' : null;
        throw new ExitError('not-adopted', message, EXIT.usage, hint);
      });
    const { wakeOrWarn } = await import('../../../watch/wake-run.js');
    const { run, state } = adopted;
    const wasWoken = run === null ? true : await wakeOrWarn({ output, settings, ledger, run, by });
    const runId = run === null ? null : `${run.campaign}.${String(run.number)}`;
    if (output.isText) await output.lines([`${safeText(key)}\t${state}\t${publication.id}`]);
    else
      await output.json({
        version: 1,
        campaign,
        key,
        state,
        publication_id: publication.id,
        run: runId,
        wasWoken: wasWoken,
        by,
        elsewhere: others,
      });
  } finally {
    await session.close();
  }
  return EXIT.ok;
}

/**
 * Rows that the campaign has under this key, if it has none where the publication belongs: a new row is created there,
 * and these stay as they are. Empty if the publication's row exists.
 */
async function rowsElsewhere(
  ledger: Ledger,
  wanted: {
    campaign: string;
    key: string;
    account: string;
    publication: Publication;
    profile: { id: string | null } | undefined;
  },
): Promise<{ channel: string; account: string; line: number; state: string }[]> {
  const { account, publication, profile } = wanted;
  const rows = await ledger.keyRows(wanted.campaign, wanted.key);
  const own = rows.some(
    (row) =>
      row.account === account &&
      (publication.platform === null || row.platform === publication.platform) &&
      (profile === undefined || row.profileId === (profile.id ?? '')),
  );
  return own ? [] : rows.map(({ channel, line, state, ...row }) => ({ channel, account: row.account, line, state }));
}

/** The likeliest mistake: a profile or platform other than that of the intended row. */
function elsewhereText(campaign: string, key: string, others: readonly { channel: string; state: string }[]): string {
  const places = others.map(({ channel, state }) => `${safeText(channel)} (${state})`).join(', ');
  const unsent = others.some(({ state }) => state === 'planned' || state === 'waiting');
  return (
    `key ${safeText(key)} of campaign ${campaign} is in another channel: ${places}. A row is a key in one channel, so the ` +
    `publication gets its own row${unsent ? ', and the unsent row there is still created' : ''}. ` +
    'If you mean that row, the publication must be in its channel: check --profile and the id'
  );
}

/**
 * The row's key as a manifest would give it: under any other key, the manifest's row would be a different one, and
 * would be created.
 * @throws UsageError for a key that no manifest's row can have
 */
async function demandRowName({ campaign, key: written }: AdoptFlags): Promise<{ campaign: string; key: string }> {
  const [{ isCampaignName, suggestCampaignName }, { cleanKey, keyFault }, { posix }] = await Promise.all([
    import('../../../../manifests/fields/campaign-name.js'),
    import('../../../../manifests/checks/check-key.js'),
    import('node:path'),
  ]);
  if (!isCampaignName(campaign)) {
    const usable = suggestCampaignName(campaign);
    const like = usable === undefined ? 'For example spring-sale.' : `Did you mean ${usable}?`;
    throw new UsageError(
      `“${safeText(campaign)}” can’t be a campaign’s name: letters a–z, digits, “.”, “_”, “-”`,
      like,
    );
  }
  const key = cleanKey(written);
  const fault = key === '' ? 'The key is empty.' : keyFault(key);
  if (fault !== null) throw new UsageError(fault);
  const source = /^https?:/i.test(key) && URL.canParse(key) ? new URL(key).href : posix.normalize(key);
  if (source !== key) {
    throw new UsageError(
      `no row is known as “${safeText(key)}”: a row without a key is named by its source, as in the results`,
      `Give “${safeText(source)}”.`,
    );
  }
  return { campaign, key };
}

/** The profile that was given, or that the service shows; undefined if neither. */
async function profileNamed(
  session: ServiceSession,
  wanted: string | undefined,
): Promise<{ id: string | null; name: string | null } | undefined> {
  if (wanted === undefined) return undefined;
  const { profileId } = await import('../profile-views.js');
  const { profiles } = await session.connection().client.listProfiles();
  const id = profileId(profiles, wanted);
  return { id, name: profiles.find((one) => one.id === id)?.name ?? id };
}

/** The values of a row that no manifest has yet: what the service shows of the publication. */
async function rowValues(
  publication: Publication,
  profile: { id: string | null; name: string | null },
  platforms: Settings['platforms'],
): Promise<RowValues | null> {
  const { PRIVACIES } = await import('../../../../service/limits.js');
  const platform = platforms.find((one) => one.name === publication.platform);
  if (platform === undefined) return null;
  const privacy = PRIVACIES.find((one) => one === publication.privacy) ?? null;
  const status = publication.status === 'draft' || publication.status === 'pending' ? publication.status : 'published';
  return {
    ...{ source: null, sourceKind: 'none', platform: platform.name, platformKind: platform.kind },
    ...{ profileId: profile.id, profileName: profile.name, title: publication.title ?? null },
    ...{ description: publication.description ?? null, privacy, status, publishAt: null, via: 'publication' },
    adopted: true,
  };
}
