title: 'Ship 🚀 it'
