import { createHash } from 'node:crypto';

/** The report's style and script, inline; the policy allows exactly these two by their hashes. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#5b6570;--line:#d9dee3;--card:#f5f7f9;--good:#12743b;--bad:#b3261e;--wait:#8a5a00;--link:#0b57d0}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e7eaee;--dim:#9aa5b1;--line:#343b43;--card:#1d2226;--good:#5fd08a;--bad:#ff8a80;--wait:#f0b95a;--link:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:90rem;padding:1.5rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:1.5rem;overflow-wrap:anywhere}h2{margin:2rem 0 .5rem;font-size:1.15rem}
a{color:var(--link)}.dim{color:var(--dim)}code{background:var(--card);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
.verdict{margin:.75rem 0;padding:.75rem 1rem;border-left:6px solid var(--wait);background:var(--card);font-size:1.15rem}
.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}
.counts{display:flex;flex-wrap:wrap;gap:.6rem;list-style:none;margin:0;padding:0}
.counts li{background:var(--card);padding:.4rem .8rem;border-radius:6px}.counts b{font-size:1.2rem;margin-right:.35rem}
.group{border-top:1px solid var(--line);padding:.6rem 0}.group p{margin:.2rem 0}
.tools{display:flex;gap:.75rem;flex-wrap:wrap;align-items:center;margin:.5rem 0}.tools[hidden]{display:none}
input,select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid var(--line);overflow-wrap:break-word;unicode-bidi:isolate}
th{position:sticky;top:0;background:var(--bg);white-space:nowrap}td:nth-child(n+3){min-width:7rem}td:nth-child(3),td:nth-child(4){min-width:11rem}td:last-child{min-width:14rem;overflow-wrap:anywhere}td.n{text-align:right;font-variant-numeric:tabular-nums}
tr[hidden],tbody[hidden]{display:none}
.s{white-space:nowrap;font-weight:600;color:var(--wait)}.s.good{color:var(--good)}.s.bad{color:var(--bad)}
@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#f2f2f2;--link:#000;--good:#12743b;--bad:#b3261e;--wait:#8a5a00}.tools{display:none!important}th{position:static}body{max-width:none;padding:0}tr{break-inside:avoid}}
`;

export const SCRIPT = `
(function(){
var tools=document.getElementById('tools'),find=document.getElementById('find'),state=document.getElementById('state'),said=document.getElementById('shown');
if(!tools)return;
tools.hidden=false;
var rows=Array.prototype.slice.call(document.querySelectorAll('#rows tbody tr')),texts=[],timer;
function apply(){
var words=find.value.toLowerCase().split(/\\s+/).filter(Boolean),want=state.value,shown=0;
rows.forEach(function(row,i){
if(texts[i]===undefined)texts[i]=row.textContent.toLowerCase();
var ok=(!want||row.getAttribute('data-s')===want)&&words.every(function(w){return texts[i].indexOf(w)!==-1});
row.hidden=!ok;if(ok)shown++;
});
said.textContent=shown+' of '+rows.length+' rows';
}
find.addEventListener('input',function(){clearTimeout(timer);timer=setTimeout(apply,120)});
state.addEventListener('change',apply);
apply();
})();
`;

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** No request to anywhere, no other script or style than ours. */
export function contentPolicy(): string {
  return [
    `default-src 'none'`,
    `style-src ${sourceHash(STYLE)}`,
    `script-src ${sourceHash(SCRIPT)}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
}
