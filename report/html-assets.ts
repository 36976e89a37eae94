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
.time{display:block;width:100%;max-width:60rem;height:5rem;border-bottom:1px solid var(--line)}.time .good{fill:var(--good)}.time .bad{fill:var(--bad)}.time .other{fill:var(--wait)}
button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem;cursor:pointer}:focus-visible{outline:3px solid var(--link);outline-offset:1px}
.tools{display:flex;gap:.75rem;flex-wrap:wrap;align-items:center;margin:.5rem 0}.tools[hidden]{display:none}
input,select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem}
.scroll{overflow-x:auto}table{display:block;min-width:65rem;font-size:.92rem}thead,tbody{display:block}
/* Each row lays itself out, and those out of sight not at all: a table of ten thousand would be laid out as one. */
tbody{content-visibility:auto;contain-intrinsic-size:auto 220rem}
tr{display:grid;grid-template-columns:4rem 7rem 3fr 2fr 2fr 4fr 6rem 13rem;border-bottom:1px solid var(--line)}
th,td{text-align:left;padding:.35rem .6rem;overflow-wrap:anywhere;unicode-bidi:isolate}
th{white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums}td.t{font-size:.85em;color:var(--dim)}
tr[hidden],tbody[hidden]{display:none}
.s{white-space:nowrap;font-weight:600;color:var(--wait)}.s.good{color:var(--good)}.s.bad{color:var(--bad)}
@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#f2f2f2;--link:#000;--good:#12743b;--bad:#b3261e;--wait:#8a5a00}.tools{display:none!important}body{max-width:none;padding:0;font-size:9pt}table{font-size:8pt;min-width:0}tbody{content-visibility:visible}.scroll{overflow:visible}tr{grid-template-columns:2.5rem 5.2rem 3fr 2fr 2fr 4fr 4.5rem 8rem}th,td{padding:.2rem .3rem}tr,.group{break-inside:avoid}h2{break-after:avoid}}
`;

export const SCRIPT = `
(function(){
var tools=document.getElementById('tools'),find=document.getElementById('find'),state=document.getElementById('state'),channel=document.getElementById('channel'),clear=document.getElementById('clear'),said=document.getElementById('shown');
if(!tools)return;
tools.hidden=false;
var rows=Array.prototype.slice.call(document.querySelectorAll('#rows tbody tr')),bodies=document.querySelectorAll('#rows tbody'),texts=[],timer,late;
function apply(){
var words=find.value.toLowerCase().split(/\\s+/).filter(Boolean),want=state.value,where=channel.value,shown=0;
rows.forEach(function(row,i){
if(texts[i]===undefined)texts[i]=row.textContent.trim().toLowerCase();
var ok=(!want||row.getAttribute('data-s')===want)&&(!where||row.cells[3].textContent===where)&&words.every(function(w){return texts[i].indexOf(w)!==-1});
row.hidden=!ok;if(ok)shown++;
});
bodies.forEach(function(body){body.hidden=!body.querySelector('tr:not([hidden])')});
guess();
said.textContent=shown+' of '+rows.length+' rows';
}
/* How high bodies are that nobody has seen: by some of them, so that the page keeps its height when they come into sight. */
function guess(){
var seen=[],high=0,count=0;
bodies.forEach(function(body){if(!body.hidden)seen.push([body,body.querySelectorAll('tr:not([hidden])').length])});
for(var i=0,step=Math.max(1,Math.floor(seen.length/8));i<seen.length;i+=step){
seen[i][0].style.contentVisibility='visible';high+=seen[i][0].offsetHeight;count+=seen[i][1];seen[i][0].style.contentVisibility='';
}
seen.forEach(function(one){one[0].style.containIntrinsicHeight='auto '+Math.round(high/count*one[1])+'px'});
}
window.addEventListener('resize',function(){clearTimeout(late);late=setTimeout(guess,200)});
find.addEventListener('input',function(){clearTimeout(timer);timer=setTimeout(apply,120)});
state.addEventListener('change',apply);channel.addEventListener('change',apply);
clear.addEventListener('click',function(){find.value=state.value=channel.value='';apply();find.focus()});
document.addEventListener('keydown',function(e){
if(e.key==='/'&&!/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)&&!e.ctrlKey&&!e.metaKey&&!e.altKey){e.preventDefault();find.focus()}
if(e.key==='Escape'&&e.target===find){find.value='';apply()}
});
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
