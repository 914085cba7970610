import { Page } from '../../components/page.tsx'

export function LlmsScreen() {
  return <Page title="LlmsScreen">…</Page>
}
