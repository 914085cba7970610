import { Page } from '../../components/page.tsx'

export function CallsScreen() {
  return <Page title="CallsScreen">…</Page>
}
