import { type ProcessSettings, type RunningProcess, startProcess } from './child-process.ts'

export interface LocalServer extends RunningProcess {
  readonly url: string
}

/** Starts a benchmark server: a program that prints `{"url": …}` as its first line when it is ready. */
export async function startLocalServer(file: string, settings: ProcessSettings = {}): Promise<LocalServer> {
  const child = startProcess(file, settings)
  const line = await Promise.race([child.firstLine, child.failure])
  const { url } = JSON.parse(line) as { url: string }
  return { ...child, url }
}
