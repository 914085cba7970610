/** What the rest of the server may use of this feature. */

export { type DemoServices, seedDemo } from './seed-demo.ts'
