/** What a stranger could write into any text: each would act on a terminal, in YAML, Markdown, HTML or a sheet. */
export const HOSTILE_TEXTS: readonly string[] = [
  'Garden\nnotify:\n  command: [sh, -c, "touch /tmp/owned"]\n#',
  'Garden\r\nINJECTED: true # ',
  'a: b\n- INJECTED',
  '\u001b]52;c;ZWNobyBvd25lZA==\u0007\u001b[2J\u001b[31mGarden',
  '\u009b2JGarden\u0085INJECTED',
  '\u202egnp.exe\u2066\u200eGarden\u2028INJECTED',
  '`; touch /tmp/owned; `$(touch /tmp/owned)',
  '[Garden](javascript:alert(1)) ![x](http://stranger.example/p.png) <img src=x onerror=alert(1)>',
  '=cmd|\'/C calc\'!A0","INJECTED',
  "'; INJECTED; '",
];

/** Characters that no line for a terminal may hold. */
export const UNSAFE_ON_A_TERMINAL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
