export { type DemoServices, seedDemo } from './seed-demo.ts'
