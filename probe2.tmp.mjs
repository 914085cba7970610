import puppeteer from 'puppeteer-core'
const b = await puppeteer.launch({browser:'firefox',protocol:'webDriverBiDi',executablePath:'/usr/bin/firefox-esr',dumpio:true, env:{...process.env,MOZ_LOG:'MediaTrackGraph:4,cubeb:4,AudioCallbackDriver:4',MOZ_LOG_FILE:'/tmp/ff-log'}})
const p = await b.newPage()
await p.goto('data:text/html,<button id=a onclick="c=new AudioContext();o=new OscillatorNode(c);o.connect(c.destination);o.start();c.resume();">x</button>')
await (await p.$('#a')).click()
for (let i=0;i<5;i++){ console.log(await p.evaluate('c.state+" "+c.currentTime.toFixed(2)')); await new Promise(r=>setTimeout(r,400)) }
await b.close()
