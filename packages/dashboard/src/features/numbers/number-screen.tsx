import { Page } from '../../components/page.tsx'

export function NumberScreen() {
  return <Page title="NumberScreen">…</Page>
}
