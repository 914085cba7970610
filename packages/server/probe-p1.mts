import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
const t = () => performance.now()
const bytes = readFileSync(fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
const mod = await WebAssembly.compile(bytes)
const times = []
for (let i = 0; i < 1000; i++) {
  const a = t()
  const mem = new WebAssembly.Memory({ initial: 256, maximum: 1024 })
  const q = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: async () => mod, wasmMemory: async () => mem }))
  const rt = q.newRuntime(); rt.setMemoryLimit(32 << 20); rt.setMaxStackSize(256 * 1024)
  const c = rt.newContext()
  const r = c.evalCode('(async function(){return 1})()', 'code', { type: 'global' })
  rt.executePendingJobs()
  times.push(t() - a)
}
times.sort((a, b) => a - b)
console.log('p50', times[500], 'p90', times[900], 'p99', times[990], 'max', times[999])
console.log(process.memoryUsage())

async function run(code, ms = 1500) {
  const a = t()
  const mem = new WebAssembly.Memory({ initial: 256, maximum: 1024 })
  const q = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: async () => mod, wasmMemory: async () => mem, emscriptenModule: { print() {}, printErr() {} } }))
  const rt = q.newRuntime(); rt.setMemoryLimit(32 << 20); rt.setMaxStackSize(256 * 1024)
  let polls = 0
  rt.setInterruptHandler(() => { polls++; return t() - a > ms })
  const c = rt.newContext()
  let out
  try {
    const r = c.evalCode('(async function(dv, metadata){' + code + '\n})({}, {})', 'code', { type: 'global' })
    if (r.error) out = ['ERR', c.dump(r.error)]
    else {
      let jobs = 0
      for (;;) { const x = rt.executePendingJobs(100); if (x.error) { out = ['JOBERR', c.dump(x.error)]; break } ; jobs += x.value; if (x.value === 0 || t() - a > ms) break }
      const s = c.getPromiseState(r.value)
      out = [s.type, jobs, s.type === 'fulfilled' ? String(c.dump(s.value)).slice(0, 200) : s.type === 'rejected' ? c.dump(s.error) : '']
    }
  } catch (e) { out = ['HOST', e] }
  console.log(code.slice(0, 90), '=>', out, 'polls', polls, Math.round(t() - a) + 'ms', mem.buffer.byteLength >> 20)
}
for (const code of [
  'return 1', 'while(1);', 'for(;;) { try { while(1); } catch {} }', 'async function f(){ while(1); } for(;;) { try { await f() } catch {} }',
  'for(;;) await 0', 'const go = () => Promise.resolve().then(go); await go()', 'await new Promise(() => {})',
  'const a=[]; for(;;) a.push(new Array(1000).fill(1))', 'let s="x"; for(;;) s+=s', 'let s="x".repeat(1e9); return s.length',
  'const a=[]; for(;;) a.push(new ArrayBuffer(1<<20))', 'return new Uint8Array(1e9).length', 'const b=[]; for(;;) b.push(new Uint8Array(1e5).fill(7))',
  'const b = new ArrayBuffer(8, {maxByteLength: 1<<30}); b.resize(1<<29); return b.byteLength',
  'return new SharedArrayBuffer(1<<30).byteLength', 'const b=[]; for(;;) b.push(new SharedArrayBuffer(1<<20))',
  'function f(){ f() } f()', 'const f = () => { try { f() } finally { f() } }; f()', 'return JSON.parse("[".repeat(1e5))', 'return eval("(".repeat(1e5))',
  'let o={}; for(let i=0;i<1e5;i++) o={o}; return JSON.stringify(o).length',
  'return /^(a+)+$/.test("a".repeat(60)+"b")', 'return /(x+x+)+y/.test("x".repeat(1e5))', 'return "a".repeat(1e5).replace(/(a*)*b/g,"")',
  'return new RegExp("(?:".repeat(1e5)+")".repeat(1e5)).test("")', 'return new RegExp("a{1,1000}".repeat(10000)).test("a".repeat(1e5))',
  'return [...Array(3e6).keys()].sort(() => Math.random()-.5).length', 'return Array(1e9).join("x").length', 'return Array(2**32-1).fill(0).length', 'return "x".repeat(1e7).split("").length',
  'return Array.prototype.indexOf.call({length:2**53-1}, 1)', 'return new Array(2**32-1).lastIndexOf(1)', 'const a=[1]; a.length=2**32-1; return a.sort().length', 'return (2n**100000000n).toString().length', 'let x=3n; for(;;) x=x*x',
  'return 10n**3000000n % 7n+""', 'return ("9".repeat(3e6)) * 1', 'return BigInt("9".repeat(3e6))%10n+""',
  'return new Uint8Array(2e7).sort().length', 'return "a".repeat(1e7).normalize("NFD").length', 'return "ab".repeat(5e6).indexOf("a".repeat(5000)+"c")', 'return "a".repeat(1e7).lastIndexOf("a".repeat(5e6)+"b")', 'return Object.keys(globalThis).concat(Object.getOwnPropertyNames(globalThis)).join()',
  'return typeof process + typeof require + typeof fetch + typeof setTimeout + typeof std + typeof os + typeof scriptArgs + typeof print', 'return await import("fs")', 'import fs from "fs"', 'return this.constructor.constructor("return process")()', 'return Function("return this")() === globalThis',
  'throw null', 'throw new TypeError("x\\u0000y")', '\n\nnull.x', 'return 1 +', '\n\nreturn "abc', 'if (1) {', 'return "a\\u0000b"', 'return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,1e6)', 'const a=[]; a[0]=a; return a', 'return Date.now() + " " + new Date().getTimezoneOffset()', 'return "x".toLocaleString() + new Intl.NumberFormat()', 'return new WeakRef({}).deref()', 'const g=[]; for(;;){ g.push(Symbol()) }', 'const m=new Map(); for(let i=0;;i++) m.set(i,{})', 'const x = [...new Set(Array(1e7).keys())]', 'const o=Object.create(null); for(let i=0;;i++) o["k"+i]=i',
  'return structuredClone({})', 'return performance.now()', 'return navigator', 'return queueMicrotask',
  'const it = { [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) }; return Array.from(it).length', 'class A { static #p = 1; get x(){ return A.#p } } return new A().x', 'return Object.groupBy([1,2,3], x => x%2?"odd":"even")',
  'Array.prototype.concat.call([], ...Array(60000).fill([1]))', 'Math.max(...Array(1e6).keys())', 'return String.raw`x`.padStart(2**30)', 'return [1,2,3].toSorted().at(-1)+ "é".localeCompare("f")',
]) await run(code)
