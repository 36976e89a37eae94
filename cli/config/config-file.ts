/** The name of the config file that is searched from the current folder upward. */
export const CONFIG_FILE = 'reelay.config.yaml';
