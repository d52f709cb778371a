<p>a &amp; b</p>
