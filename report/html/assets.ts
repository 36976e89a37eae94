import { createHash } from 'node:crypto';

/** The report's style and script, inline; the policy allows exactly these two by their hashes. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#5b6570;--line:#d9dee3;--card:#f5f7f9;--good:#12743b;--bad:#b3261e;--wait:#8a5a00;--off:#8a939c;--link:#0b57d0}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e7eaee;--dim:#9aa5b1;--line:#343b43;--card:#1d2226;--good:#5fd08a;--bad:#ff8a80;--wait:#f0b95a;--off:#6b7682;--link:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:90rem;padding:1.5rem;overflow-wrap:break-word;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:1.5rem;overflow-wrap:anywhere}h2{margin:2rem 0 .5rem;font-size:1.15rem}
a{color:var(--link)}.dim{color:var(--dim)}code{background:var(--card);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
.verdict{margin:.75rem 0;padding:.75rem 1rem;border-left:6px solid var(--wait);background:var(--card);font-size:1.15rem}
.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}
.counts{display:flex;flex-wrap:wrap;gap:.6rem;list-style:none;margin:0;padding:0}
.counts li{background:var(--card);padding:.4rem .8rem;border-radius:6px}.counts b{font-size:1.2rem;margin-right:.35rem}
.counts li{border-left:4px solid var(--off)}.counts .good{border-color:var(--good)}.counts .bad{border-color:var(--bad)}.counts .wait{border-color:var(--wait)}
.bar{display:block;width:100%;height:1.1rem;margin:.75rem 0;border-radius:4px}rect.good{fill:var(--good)}rect.bad{fill:var(--bad)}rect.wait,rect.other{fill:var(--wait)}rect.off{fill:var(--off)}
.group{border-top:1px solid var(--line);padding:.6rem 0}.group p{margin:.2rem 0}
.time{display:block;width:100%;max-width:60rem;height:5rem;border-bottom:1px solid var(--line)}.axis{display:flex;justify-content:space-between;max-width:60rem;margin:.2rem 0;font-size:.85em}
ul{padding-left:1.2rem}.asks{list-style:none;padding:0}.asks>li{border-left:4px solid var(--wait);background:var(--card);padding:.5rem .8rem;margin:.6rem 0}.asks p{margin:.3rem 0}
.command{display:flex;flex-wrap:wrap;gap:.2rem .7rem;align-items:baseline;margin:.3rem 0}.command code{user-select:all;-webkit-user-select:all;border:1px solid var(--line);background:var(--bg)}
.matrix{border-collapse:collapse;font-size:.92rem}.matrix th,.matrix td{padding:.3rem .6rem;border-bottom:1px solid var(--line)}.matrix th[scope=row]{font-weight:400;white-space:normal;min-width:9rem}
.calendar{display:grid;grid-template-columns:repeat(7,minmax(0,1fr));gap:4px;font-size:.85rem}.calendar .name{color:var(--dim);text-align:center}
.day{background:var(--card);border-radius:6px;padding:.35rem .5rem;min-height:3.5rem;overflow-wrap:anywhere;break-inside:avoid}.day.empty{opacity:.45}.day .date{margin:0;color:var(--dim);font-size:.85em}.day ul{list-style:none;margin:0;padding:0}.day li{margin:.25rem 0;line-height:1.3}
button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem;cursor:pointer}:focus-visible{outline:3px solid var(--link);outline-offset:1px}
.tools{display:flex;gap:.75rem;flex-wrap:wrap;align-items:center;margin:.5rem 0}.tools[hidden]{display:none}
input,select{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem}
.scroll{overflow-x:auto}#rows{display:block;min-width:65rem;font-size:.92rem}#rows thead,#rows tbody{display:block}
/* Each row lays itself out, and those out of sight not at all: a table of ten thousand would be laid out as one. */
#rows tbody+tbody{content-visibility:auto;contain-intrinsic-size:auto 220rem}
#rows tr{display:grid;grid-template-columns:4rem 7rem 3fr 2fr 2fr 4fr 6rem 13rem;border-bottom:1px solid var(--line)}#rows.client{min-width:45rem}#rows.client tr{grid-template-columns:8rem 3fr 2fr 4fr 13rem}
th,td{text-align:left;padding:.35rem .6rem;overflow-wrap:anywhere;unicode-bidi:isolate}
th{white-space:nowrap}.n{text-align:right;font-variant-numeric:tabular-nums}td.t{font-size:.85em;color:var(--dim)}
#rows tr[hidden],#rows tbody[hidden]{display:none}
.s{white-space:nowrap;font-weight:600;color:var(--wait)}.s.good{color:var(--good)}.s.bad{color:var(--bad)}.s.off{color:var(--dim)}
/* On a phone each row is a card, a channel a line of its states, and a week a list of its days. */
@media screen and (max-width:44rem){body{padding:1rem}#rows,#rows.client{min-width:0}#rows thead{display:none}#rows tr,#rows.client tr{grid-template-columns:auto 1fr;gap:0 .6rem;padding:.5rem 0}#rows td{padding:.1rem 0;grid-column:1/-1}
#rows .n,#rows .n+.s{grid-column:auto;text-align:left}#rows .n::before{content:'Row '}#rows .s+td{font-weight:600}#rows .k::before{content:'Key '}#rows .n:not(:first-child){display:none}
.matrix thead,.matrix td.dim{display:none}.matrix,.matrix tbody{display:block}.matrix tr{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.4rem 0;border-bottom:1px solid var(--line)}.matrix th[scope=row]{flex:1 0 100%}.matrix th[scope=row],.matrix td{border:0;padding:0}.matrix td::before{content:attr(data-s) ' ';font-weight:400;color:var(--dim)}
.calendar{grid-template-columns:1fr}.calendar .name,.day.empty{display:none}.day{min-height:0}input,select{max-width:100%}}
@media print{*{-webkit-print-color-adjust:exact;print-color-adjust:exact}:root{--bg:#fff;--fg:#000;--dim:#444;--line:#bbb;--card:#f2f2f2;--link:#000;--good:#12743b;--bad:#b3261e;--wait:#8a5a00}.tools{display:none!important}body{max-width:none;padding:0;font-size:9pt}#rows,#rows.client{font-size:8pt;min-width:0}#rows tbody+tbody{content-visibility:visible}.scroll{overflow:visible}#rows tr{grid-template-columns:2.5rem 5.2rem 3fr 2fr 2fr 4fr 4.5rem 8rem}#rows.client tr{grid-template-columns:6rem 3fr 2fr 4fr 8rem}th,td{padding:.2rem .3rem}tr,.group{break-inside:avoid}h2{break-after:avoid}}
`;

export const SCRIPT = `
(function(){
var tools=document.getElementById('tools'),find=document.getElementById('find'),state=document.getElementById('state'),channel=document.getElementById('channel'),clear=document.getElementById('clear'),said=document.getElementById('shown');
if(!tools)return;
tools.hidden=false;
var at=document.getElementById('channels').cellIndex;
var rows=Array.prototype.slice.call(document.querySelectorAll('#rows tbody tr')),bodies=document.querySelectorAll('#rows tbody'),texts=[],timer,late;
function apply(){
var words=find.value.toLowerCase().split(/\\s+/).filter(Boolean),want=state.value,where=channel.value,shown=0;
rows.forEach(function(row,i){
if(texts[i]===undefined)texts[i]=row.textContent.trim().toLowerCase();
var ok=(!want||row.getAttribute('data-s')===want)&&(!where||row.cells[at].textContent===where)&&words.every(function(w){return texts[i].indexOf(w)!==-1});
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
