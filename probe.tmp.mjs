import puppeteer from 'puppeteer-core'
for (const prefs of [{}, {'media.autoplay.default':0}, {'media.cubeb.force_null_context': true}, {'media.autoplay.default':0,'media.autoplay.blocking_policy':0}]) {
const b = await puppeteer.launch({browser:'firefox',protocol:'webDriverBiDi',executablePath:'/usr/bin/firefox-esr',extraPrefsFirefox:prefs})
const p = await b.newPage()
await p.goto('data:text/html,<button id=a onclick="c=new AudioContext();c.resume();st=0;c.onstatechange=()=>st++">x</button>')
await (await p.$('#a')).click()
const out=[]
for (let i=0;i<8;i++){ out.push(await p.evaluate('c.state+" "+c.currentTime.toFixed(2)+" "+c.sampleRate+" "+navigator.userActivation?.hasBeenActive')); await new Promise(r=>setTimeout(r,400)) }
console.log(JSON.stringify(prefs), out.join(' | '))
await b.close()
}
